import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Hit } from '../../../src/ingestion/hit.ts'
import { writeServiceEvents } from '../../../src/money/ledger/service-events.ts'
import { sweep } from '../../support/runs.ts'
import { ADA, BOB, DAY, failed, HOUR, MINUTE, OVER, RANGES, type Story, TODAY, useStories } from './story.ts'

const { database, begin, beginWithVisits } = useStories()

describe('daily rollups: data that arrives after the rollup of its day counts at once', () => {
  const identified = (identifier: string) =>
    ({ type: 'identify', visitorId: ADA, identity: { identifier } }) as const
  const left = { type: 'engagement', visitorId: ADA, url: '/entry-0', engagedMs: 90_000, scroll: 80 } as const
  /** From the beginning of yesterday. */
  const late: [string, ...[number, Partial<Hit>][]][] = [
    ['a hit just before a session, which joins it', [3 * HOUR - 20 * MINUTE, { visitorId: ADA, url: '/b' }]],
    ['a hit inside a session that is over', [3 * HOUR + 90_000, { visitorId: ADA, url: '/late' }]],
    ['engagement hours after the last hit of a session', [8 * HOUR, left]],
    [
      'a session before those that are there',
      [HOUR, { visitorId: ADA, url: '/early', country: 'FR' }],
      [-3 * DAY - HOUR, { visitorId: ADA, url: '/first of all' }],
    ],
    ['a second page of a bounce', [21 * HOUR + 20 * MINUTE, { visitorId: BOB, url: '/alone' }]],
    ['somebody who was never there', [-DAY + 1, { url: '/new' }], [-DAY - 1, { url: '/new' }]],
    [
      'another user, who ends a session',
      [3 * HOUR + 1_000, identified('ada')],
      [3 * HOUR + 5 * MINUTE, identified('bob')],
      [3 * HOUR + 6 * MINUTE, { visitorId: ADA, url: '/as bob' }],
    ],
    [
      'an event with properties, and an error, that nobody had',
      [5 * HOUR, { type: 'event', name: 'signup', props: { plan: 'new' }, url: '/done' }],
      [5 * HOUR, { ...failed('never before'), url: '/done' }],
    ],
  ]
  let story: Story
  beforeAll(async () => {
    story = await beginWithVisits()
  })
  test.each(sweep(late))('%s', async (_, ...hits) => {
    // Rolls up first, so that only the new hits leave dirty marks.
    await story.rollUpAgain(OVER + HOUR)
    await story.send(...hits.map(([at, fields]) => story.hit(TODAY - DAY + at, fields)))
    const { days } = await story.compare()
    expect(days).toBeGreaterThan(0)
    expect(days).toBeLessThan(4)
  })
  test('all late data counts after the next rollup, also in a range that ends in the future', async () => {
    await story.rollUp(OVER + HOUR)
    const { days, unanswered } = await story.compare([{ from: '2026-03-01', to: '2026-03-31' }])
    expect(unanswered.filter(asked => !asked.includes('payment'))).toEqual([])
    expect(days).toBeGreaterThanOrEqual(4)
    await story.rollUp(TODAY + 3 * DAY)
  })
})

test('daily rollups equal the rows for all kinds of values: daily rollups equal the rows with texts that are hard to quote or to sort and that have equal counts', {
  tags: ['full'],
}, async () => {
  const { hit, send, rollUp, compare } = await begin()
  // By UTF-16, U+FF5E comes after U+1F600; by code point before it.
  const texts = ['"', "'", '\\', '/', '\n', '{}', '[1,"2"]', 'null', 'é', '\uFF5E', '😀', '', 'a', 'A']
  const hitsOn = (day: number, some: string[]) =>
    some.flatMap((text, index) => {
      const at = TODAY + day * DAY + index * HOUR
      const visitorId = index % 3 === 0 ? ADA : randomUUID()
      const event = { type: 'event', visitorId, url: '/done' } as const
      return [
        hit(at, { visitorId, url: `/${text}`, title: text, country: text }),
        hit(at + 1, { ...event, name: 'signup', props: { [`k${text}`]: text, same: text } }),
        hit(at + 2, { ...event, name: `of ${text}`, props: { 'property/': text } }),
        hit(at + 3, { ...failed(text), visitorId }),
      ]
    })
  await send(...hitsOn(-3, texts), ...hitsOn(-2, texts.toReversed()))
  await rollUp(OVER - DAY)
  await send(...hitsOn(-1, texts.slice(5)))
  await compare()
  await rollUp(OVER)
})

test('daily rollups equal the rows for all kinds of values: daily rollups equal the rows with events that the service writes itself', {
  tags: ['full'],
}, async () => {
  const { site, send, hit, rollUp, compare } = await beginWithVisits()
  await rollUp(OVER)
  const write = (at: number, key: string, visitorId?: string) => {
    const event = { name: 'payment', at: new Date(at), key, visitorId, properties: { plan: key } } as const
    return database.db.begin(tx => writeServiceEvents(tx, site, [event]))
  }
  const laterSeen = '11111111-1111-4111-8111-111111111111'
  await write(TODAY - DAY + 5 * HOUR, 'one', ADA)
  await write(TODAY - 2 * DAY + 5 * HOUR, 'two')
  await write(TODAY - 2 * DAY + 6 * HOUR, 'waits', laterSeen)
  await compare()
  await rollUp(OVER + HOUR)
  await send(hit(TODAY - 2 * DAY, { visitorId: laterSeen, url: '/found' }))
  await compare()
  await rollUp(OVER + 2 * HOUR)
})

test.each([
  ['values', { values: 3, events: 500 }],
  ['events', { values: 50_000, events: 1 }],
])(
  'daily rollups equal the rows for all kinds of values: daily rollups equal the rows with more %s than a rollup can hold',
  { tags: ['full'] },
  async (_, limits) => {
    const { site, hit, send, rollUp, compare } = await beginWithVisits({ limits })
    const tooMany = () => database.db`
    select from daily_value_rollups where site_no = ${site.siteNo} and counts is null`
    await send(hit(TODAY - DAY, { type: 'event', name: 'other', props: { plan: 'free' } }))
    await rollUp(OVER - DAY)
    await rollUp(OVER)
    expect((await tooMany()).length).toBeGreaterThan(0)
    await send(hit(TODAY - DAY, { type: 'event', name: 'signup', props: { plan: 'late' } }))
    await compare()
    await rollUp(OVER + HOUR)
  },
)

test('daily rollups equal the rows for all kinds of days: daily rollups equal the rows after time-zone changes, which invalidate all rollups', {
  tags: ['full'],
}, async () => {
  const { site, hit, send, rollUp, compare } = await beginWithVisits()
  await rollUp(OVER)
  for (const timezone of ['Asia/Kathmandu', 'America/New_York']) {
    site.timezone = timezone
    await database.db`update sites set timezone = ${timezone} where site_no = ${site.siteNo}`
    await compare(RANGES.slice(0, 1), ['path', 'hour_of_week'])
    await send(hit(TODAY - 2 * DAY - 30 * MINUTE, { visitorId: BOB, url: '/after the change' }))
    await compare()
    await rollUp(OVER + 6 * HOUR)
    const { days } = await compare(RANGES.slice(0, 1), ['hour_of_week'])
    expect(days).toBe(4)
  }
})
