import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import type { EnrichedHit, Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { writeServiceEvents } from '../../src/revenue/ledger/service-events.ts'
import type { RollupLimits } from '../../src/rollups/daily/day-values.ts'
import { rollUpDay } from '../../src/rollups/daily/roll-up-day.ts'
import { rollUpBehind, rollUpSites } from '../../src/rollups/daily/roll-up-sites.ts'
import type { RolledUpDay } from '../../src/rollups/protocol.ts'
import { testDatabase } from '../support/database.ts'
import { type Days, expectRollupsEqualRows, type RolledUpSite } from '../support/expect-rollups.ts'
import { enrichedHit } from '../support/hits.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { sweep } from '../support/runs.ts'
import { createTestSite } from '../support/sites.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A Tuesday; the days before it have visits, too. */
const TODAY = Date.UTC(2026, 2, 10)
const RANGES: Days[] = [
  { from: '2026-03-06', to: '2026-03-10' },
  { from: '2026-03-09', to: '2026-03-09' },
]

let db: Db
beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  return () => database.close()
})

/** Removes all rollups and deletes all sites, so that no earlier test leaves days to roll up. */
async function startAnew(): Promise<void> {
  await db`update watermarks set watermark = '-infinity', refreshed_to = '-infinity' where aggregate = 'daily_rollups'`
  await db`delete from rollup_spans`
  await db`delete from daily_rollups`
  await db`update sites set deleted_at = now()`
}

const ADA = randomUUID()
const BOB = randomUUID()

interface Options {
  timezone?: string
  ranges?: Days[]
  limits?: RollupLimits
  /** Keeps the existing sites and rollups; by default they are removed first. */
  isBeside?: boolean
}

/** A site with daily rollups, and the steps that a test does with it. */
async function begin({ timezone = 'UTC', ranges = RANGES, limits, isBeside }: Options = {}) {
  if (!isBeside) await startAnew()
  const site: RolledUpSite = { ...(await createTestSite(db, { timezone })), timezone }
  let now = TODAY + 18 * HOUR
  const story = {
    site,
    hit: (at: number, fields: Partial<Hit> = {}) =>
      enrichedHit(site, at, { title: `Title of ${fields.url ?? '/'}`, ...fields }),
    send: (...hits: EnrichedHit[]) => storeHits(db, 0, hits),
    /** Rolls up everything that is due, without comparing. */
    rollUpAgain: async (at: number) => {
      now = at
      await rollUpAll(db, new Date(at), limits)
    },
    /** Rolls up everything that is due, then compares. */
    rollUp: async (at: number) => {
      await story.rollUpAgain(at)
      const unanswered = await story.compare()
      if (!limits) expect(unanswered.filter(asked => !asked.includes('payment'))).toEqual([])
    },
    /** Compares results read from rollups with results read from rows. */
    compare: (asked = ranges.slice(0, 1), dimensions?: string[]) =>
      expectRollupsEqualRows(db, site, asked, new Date(now), dimensions),
  }
  return story
}
type Story = Awaited<ReturnType<typeof begin>>

const failed = (message: string) => ({ type: 'error', name: 'error', error: { message } }) as const

/** Sends visits on each of four days: pages, events, errors, engagement. */
async function beginWithVisits(options?: Options) {
  const story = await begin(options)
  const { hit, send } = story
  for (let day = -4; day < 0; day++) {
    const hits = []
    for (let visit = 0; visit < 4; visit++) {
      const visitorId = visit === 0 ? ADA : visit === 1 ? BOB : randomUUID()
      const at = TODAY + day * DAY + (3 + 6 * visit) * HOUR + visit * 1_234
      const country = visit % 2 === 0 ? 'DE' : 'US'
      hits.push(
        hit(at, { visitorId, country, url: `/entry-${visit % 3}` }),
        hit(at + MINUTE, { type: 'engagement', visitorId, url: `/entry-${visit % 3}`, engagedMs: 7_001 }),
        hit(at + 2 * MINUTE, { visitorId, country, url: `/page-${(day + 4 + visit) % 5}` }),
      )
      if (visit === 3) continue
      const props = { plan: visit === 0 ? 'pro' : 'free', 'a "key"/é': `${visit}` }
      hits.push(
        hit(at + 3 * MINUTE, { type: 'event', name: 'signup', visitorId, url: '/done', props }),
        hit(at + 4 * MINUTE, { ...failed(`broken ${visit}`), visitorId, url: '/done' }),
      )
    }
    await send(...hits)
  }
  return story
}

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
    await story.rollUpAgain(TODAY + 2 * HOUR)
    await story.send(...hits.map(([at, fields]) => story.hit(TODAY - DAY + at, fields)))
    await story.compare()
  })
  test('all late data counts after the next rollup, also in a range that ends in the future', async () => {
    await story.rollUp(TODAY + 2 * HOUR)
    const unanswered = await story.compare([{ from: '2026-03-01', to: '2026-03-31' }])
    expect(unanswered.filter(asked => !asked.includes('payment'))).toEqual([])
    await story.rollUp(TODAY + 3 * DAY)
  })
})

describe('daily rollups that grow with time equal the rows', () => {
  test('growing daily rollups equal the rows with hits exactly at the watermark and sessions that close at it', {
    tags: ['full'],
  }, async () => {
    const { hit, send, rollUp, compare } = await begin()
    const rolledUpTo = TODAY - 12 * HOUR
    // Hits before the watermark are late and mark the day dirty. They come last, because that mark would hide missing marks.
    const around = [0, 1, -1]
    const closing = around.map(off => ({ visitorId: randomUUID(), off }))
    const opening = closing.map(({ visitorId, off }) =>
      hit(rolledUpTo - 30 * MINUTE + off, { visitorId, url: `/closing ${off}` }),
    )
    await send(hit(TODAY - 3 * DAY), ...opening)
    await rollUp(rolledUpTo + 15 * MINUTE)
    for (const off of around) {
      const at = rolledUpTo + off
      await send(...closing.map(({ visitorId }, index) => hit(at + index, { visitorId, url: `/at ${off}` })))
      await compare()
    }
    await rollUp(rolledUpTo + 30 * MINUTE)
    await send(...closing.map(({ visitorId }) => hit(rolledUpTo + 15 * MINUTE, { visitorId, url: '/next' })))
    await compare()
    await rollUp(rolledUpTo + HOUR)
    await rollUp(TODAY + 3 * DAY)
  })
})

describe('daily rollups equal the rows for all kinds of values', () => {
  test('daily rollups equal the rows with texts that are hard to quote or to sort and that have equal counts', {
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
    await rollUp(TODAY - DAY)
    await send(...hitsOn(-1, texts.slice(5)))
    await compare()
    await rollUp(TODAY + HOUR)
  })

  test('daily rollups equal the rows with events that the service writes itself', {
    tags: ['full'],
  }, async () => {
    const { site, send, hit, rollUp, compare } = await beginWithVisits()
    await rollUp(TODAY + HOUR)
    const write = (at: number, key: string, visitorId?: string) => {
      const event = { name: 'payment', at: new Date(at), key, visitorId, properties: { plan: key } } as const
      return db.begin(tx => writeServiceEvents(tx, site, [event]))
    }
    const laterSeen = '11111111-1111-4111-8111-111111111111'
    await write(TODAY - DAY + 5 * HOUR, 'one', ADA)
    await write(TODAY - 2 * DAY + 5 * HOUR, 'two')
    await write(TODAY - 2 * DAY + 6 * HOUR, 'waits', laterSeen)
    await compare()
    await rollUp(TODAY + 2 * HOUR)
    await send(hit(TODAY - 2 * DAY, { visitorId: laterSeen, url: '/found' }))
    await compare()
    await rollUp(TODAY + 3 * HOUR)
  })

  test.each([
    ['values', { values: 3, events: 500 }],
    ['events', { values: 50_000, events: 1 }],
  ])(
    'daily rollups equal the rows with more %s than a rollup can hold',
    { tags: ['full'] },
    async (_, limits) => {
      const { site, hit, send, rollUp, compare } = await beginWithVisits({ limits })
      const tooMany = () => db`
      select from daily_value_rollups where site_no = ${site.siteNo} and counts is null`
      await send(hit(TODAY - DAY, { type: 'event', name: 'other', props: { plan: 'free' } }))
      await rollUp(TODAY - 15 * HOUR)
      await rollUp(TODAY - 3 * HOUR)
      await rollUp(TODAY + HOUR)
      expect((await tooMany()).length).toBeGreaterThan(0)
      await send(hit(TODAY - DAY, { type: 'event', name: 'signup', props: { plan: 'late' } }))
      await compare()
      await rollUp(TODAY + 2 * HOUR)
    },
  )
})

describe('daily rollups equal the rows for all kinds of days', () => {
  test('daily rollups equal the rows after time-zone changes, which invalidate all rollups', {
    tags: ['full'],
  }, async () => {
    const { site, hit, send, rollUp, compare } = await beginWithVisits()
    await rollUp(TODAY + HOUR)
    for (const timezone of ['Asia/Kathmandu', 'America/New_York']) {
      site.timezone = timezone
      await db`update sites set timezone = ${timezone} where site_no = ${site.siteNo}`
      await compare(RANGES.slice(0, 1), ['path', 'hour_of_week'])
      await send(hit(TODAY - 2 * DAY - 30 * MINUTE, { visitorId: BOB, url: '/after the change' }))
      await compare()
      await rollUp(TODAY + HOUR)
      await compare(RANGES.slice(0, 1), ['hour_of_week'])
    }
  })
})

test('rollups: days behind a running import are rolled up at once, and not again after the import', {
  tags: ['full'],
}, async () => {
  const { site, hit, send, rollUp, compare } = await begin()
  await send(hit(TODAY + HOUR, { visitorId: ADA }))
  await rollUp(TODAY + 2 * HOUR)
  const dayBack = (days: number) => TODAY - days * DAY
  await send(
    hit(dayBack(40) + HOUR, { visitorId: ADA, url: '/behind' }),
    hit(dayBack(39) + 23.9 * HOUR, { visitorId: BOB, url: '/behind' }),
    hit(dayBack(37) + HOUR, { visitorId: ADA, url: '/being written' }),
  )
  const rolledUp: number[] = []
  const rollUpAndNote = async (day: RolledUpDay) => {
    rolledUp.push((TODAY - day.start) / DAY)
    await rollUpDay(db, day)
  }
  const now = new Date(TODAY + 2 * HOUR)
  await rollUpBehind(db, now, rollUpAndNote, { until: dayBack(38) + HOUR, budgetMs: 10_000 })
  expect(rolledUp).toEqual([39, 40])
  const marks =
    await db`select bucket from dirty_buckets where aggregate = 'daily_rollups' and site_no = ${site.siteNo}`
  expect(marks.map(({ bucket }) => bucket.getTime())).toEqual([dayBack(37) + HOUR])
  await compare([{ from: '2026-01-25', to: '2026-03-10' }])

  await send(hit(dayBack(39) + 2 * HOUR, { visitorId: ADA, url: '/late' }))
  await compare([{ from: '2026-01-25', to: '2026-03-10' }])
  rolledUp.length = 0
  while (await rollUpSites(db, now, rollUpAndNote, { budgetMs: 10_000 })) {}
  expect(rolledUp).toEqual(expect.arrayContaining([39, 37]))
  expect(rolledUp).not.toContain(40)
  await compare([{ from: '2026-01-25', to: '2026-03-10' }])
})

test('rollups: an import into a site without rollups rolls up the days that it has passed', async () => {
  const { site, hit, send, compare } = await begin({ timezone: 'America/New_York' })
  const other = await begin({ isBeside: true })
  await other.send(other.hit(TODAY + HOUR))
  await other.rollUp(TODAY + 2 * HOUR)
  await send(hit(TODAY - 9 * DAY, { visitorId: ADA }), hit(TODAY - DAY, { visitorId: BOB }))
  const now = new Date(TODAY + 2 * HOUR)
  await rollUpBehind(db, now, day => rollUpDay(db, day), { until: TODAY - 3 * DAY, budgetMs: 10_000 })
  const days = await db`select starts_at from daily_rollups where site_no = ${site.siteNo} order by starts_at`
  const starts = ['2026-02-28T05:00:00Z', '2026-03-09T04:00:00Z'].map(at => new Date(at))
  expect(days.map(({ starts_at }) => starts_at)).toEqual(starts)
  await rollUpAll(db, now)
  await compare([{ from: '2026-02-25', to: '2026-03-10' }])
})

/** Start and watermark of the newest day of a site, in hours after today began. */
async function newestOf({ site }: Story): Promise<number[]> {
  const [row] = await db`
    select starts_at, rolled_up_to from daily_rollups where site_no = ${site.siteNo} order by starts_at desc limit 1`
  return [row!.starts_at, row!.rolled_up_to].map(at => (at.getTime() - TODAY) / HOUR)
}

test('rollups: a site without new hits is left alone, until it gets its next day', async () => {
  const quiet = await begin()
  const busy = await begin({ isBeside: true })
  for (const { send, hit } of [quiet, busy]) await send(hit(TODAY - DAY + HOUR, { visitorId: ADA }))
  await quiet.rollUpAgain(TODAY - 6 * HOUR)
  await busy.send(busy.hit(TODAY - 5 * HOUR, { visitorId: BOB }))
  await quiet.rollUpAgain(TODAY - 4 * HOUR)
  expect(await newestOf(quiet)).toEqual([-24, -6.25])
  expect(await newestOf(busy)).toEqual([-24, -4.25])
  await quiet.rollUp(TODAY + 21 * HOUR)
  expect(await newestOf(quiet)).toEqual([0, 20.75])
})

describe('daily rollups after an interrupted round', { tags: ['full'] }, () => {
  /** Rolls up until the `count`th day and fails before or after it. Returns whether all days were rolled up. */
  async function rollUpUntil(now: number, count: number, isAfter: boolean): Promise<boolean> {
    let rolledUp = 0
    const rollUp = async (day: RolledUpDay) => {
      rolledUp += 1
      if (rolledUp < count || isAfter) await rollUpDay(db, day)
      if (rolledUp >= count) throw new Error('killed')
    }
    const failure = await rollUpSites(db, new Date(now), rollUp, { budgetMs: 10_000 }).catch(error => error)
    if (failure instanceof Error) expect(failure.message).toBe('killed')
    return !(failure instanceof Error)
  }

  test.each([
    ['before', false],
    ['after', true],
  ])('%s a day was written: late hits count at once, and the next round continues', async (_, isAfter) => {
    const { hit, send, rollUp, compare } = await beginWithVisits()
    let isDone = false
    for (let count = 1; !isDone; count++) {
      await db`delete from rollup_spans`
      await db`delete from daily_rollups`
      await db`update watermarks set refreshed_to = '-infinity' where aggregate = 'daily_rollups'`
      isDone = await rollUpUntil(TODAY + HOUR, count, isAfter)
      const late = { visitorId: ADA, url: `/late ${count}` }
      await send(...[1, 2, 3].map(day => hit(TODAY - day * DAY + (count + 9) * HOUR, late)))
      // A round without time for days may still remove dirty marks.
      await rollUpSites(db, new Date(TODAY + HOUR), day => rollUpDay(db, day), { budgetMs: 0 })
      await compare()
      expect(count).toBeLessThan(10)
    }
    await rollUp(TODAY + HOUR)
  })
})

test('daily rollups: batches that are stored during a rollup count once', { tags: ['full'] }, async () => {
  const { hit, send, rollUp, compare } = await beginWithVisits()
  await rollUp(TODAY - 2 * HOUR)
  for (let round = 0; round < 4; round++) {
    const now = TODAY - 90 * MINUTE + round * 30 * MINUTE
    const sends = [0, 1, 2].map(partition =>
      storeHits(db, partition, [
        hit(now - (20 + partition) * MINUTE, { url: `/${partition}` }),
        hit(now - 3 * MINUTE, { url: '/just now' }),
        hit(TODAY - 2 * DAY + round * HOUR + partition, { url: '/late' }),
      ]),
    )
    await Promise.all([...sends, rollUpAll(db, new Date(now)), send(hit(now - DAY, { visitorId: BOB }))])
    await compare()
  }
  await rollUp(TODAY + HOUR)
})

test('daily rollups: a deleted site is not rolled up, other sites are', { tags: ['full'] }, async () => {
  const gone = await beginWithVisits()
  const other = await beginWithVisits({ isBeside: true })
  await other.rollUp(TODAY - HOUR)
  await db`update sites set deleted_at = now() where site_no = ${gone.site.siteNo}`
  await other.rollUp(TODAY + 2 * HOUR)
  expect(await newestOf(gone)).toEqual([-24, -1.25])
  expect(await newestOf(other)).toEqual([0, 1.75])
})

type Work = Parameters<Db['begin']>[1]

describe('daily rollups: a slow process whose day another process has rolled up', () => {
  /** Rolls up a day to its `rolledUpTo`, but runs `meanwhile` before it writes. */
  async function rollUpSlowly(day: RolledUpDay, meanwhile: () => Promise<unknown>): Promise<void> {
    const begin = async (...given: [Work] | [string, Work]) => {
      // Only transactions that read pass an isolation level.
      if (given.length === 1) await meanwhile()
      return given.length === 1 ? db.begin(...given) : db.begin(...given)
    }
    const slow = new Proxy(db, {
      get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
    })
    await rollUpDay(slow, day)
  }
  const yesterday = { start: TODAY - DAY, end: TODAY, zone: 'UTC', rolledUpTo: TODAY + HOUR, marks: [] }

  test.each(
    sweep([
      ['adds nothing twice', false],
      ['takes nothing back', true],
    ]),
  )('%s', async (_, isAnew) => {
    const { site, hit, send, rollUp, compare } = await beginWithVisits()
    await rollUp(TODAY - HOUR)
    await send(hit(TODAY - 65 * MINUTE), hit(TODAY - 5 * MINUTE))
    await rollUpSlowly({ ...yesterday, siteNo: site.siteNo, isAnew }, async () => {
      await send(hit(TODAY - 3 * HOUR, { visitorId: ADA, url: '/meanwhile' }))
      await rollUpAll(db, new Date(TODAY + 2 * HOUR))
    })
    await compare()
    await rollUp(TODAY + 3 * HOUR)
  })

  test('a slow process writes no day of the previous time zone', { tags: ['full'] }, async () => {
    const { site, hit, send, rollUp, compare } = await beginWithVisits()
    await rollUp(TODAY + 2 * HOUR)
    await rollUpSlowly({ ...yesterday, siteNo: site.siteNo, isAnew: true }, async () => {
      site.timezone = 'Asia/Kathmandu'
      await db`update sites set timezone = ${site.timezone} where site_no = ${site.siteNo}`
      await rollUpAll(db, new Date(TODAY + 2 * HOUR))
    })
    await send(hit(TODAY - 3 * HOUR, { visitorId: ADA, url: '/late' }))
    await rollUp(TODAY + 2 * HOUR)
    site.timezone = 'UTC'
    await compare(RANGES)
  })
})
