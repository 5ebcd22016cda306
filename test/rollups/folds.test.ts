import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/infra/db.ts'
import { startOfDay } from '../../src/infra/local-time.ts'
import type { EnrichedHit, Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { writeServiceEvents } from '../../src/revenue/service-events.ts'
import { foldDay } from '../../src/rollups/folds/fold-day.ts'
import { foldBehind, foldSites } from '../../src/rollups/folds/fold-sites.ts'
import type { FoldLimits } from '../../src/rollups/folds/merge-tally.ts'
import type { FoldedDay } from '../../src/rollups/protocol.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Days, expectFoldsEqualRows, type FoldedSite } from '../support/expect-folds.ts'
import { foldAll } from '../support/fold.ts'
import { enrichedHit } from '../support/hits.ts'
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

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

/** Nothing is folded, and of what is there nothing will be. */
async function startAnew(): Promise<void> {
  await db`update horizons set horizon = '-infinity', refreshed_to = '-infinity' where aggregate = 'folds'`
  await db`delete from fold_spans`
  await db`delete from day_folds`
  await db`update sites set deleted_at = now()`
}

const ADA = randomUUID()
const BOB = randomUUID()

/** What a test sends to a site whose days are folded. */
interface Story {
  site: FoldedSite
  hit: (at: number, fields?: Partial<Hit>) => EnrichedHit
  send: (...hits: EnrichedHit[]) => Promise<unknown>
  /** Folds everything that is to be folded at a time, and compares. */
  fold: (now: number) => Promise<void>
  /** Folds alone. */
  refold: (now: number) => Promise<void>
  /** Compares what is read from folds with what is read from rows. */
  compare: (ranges?: Days[]) => Promise<void>
}

interface Options {
  timezone?: string
  ranges?: Days[]
  limits?: FoldLimits
  /** Beside the site that is there; otherwise nothing is left of it, or folded. */
  isBeside?: boolean
}

async function begin({ timezone = 'UTC', ranges = RANGES, limits, isBeside }: Options = {}): Promise<Story> {
  if (!isBeside) await startAnew()
  const site = { ...(await createTestSite(db, { timezone })), timezone }
  let now = TODAY + 18 * HOUR
  const story: Story = {
    site,
    hit: (at, fields = {}) => enrichedHit(site, at, { title: `Title of ${fields.url ?? '/'}`, ...fields }),
    send: (...hits) => storeHits(db, 0, hits),
    refold: async at => {
      now = at
      await foldAll(db, new Date(at), limits)
    },
    fold: async at => {
      await story.refold(at)
      const unanswered = await expectFoldsEqualRows(db, site, ranges.slice(0, 1), new Date(now))
      if (!limits) expect(unanswered.filter(asked => !asked.includes('payment'))).toEqual([])
    },
    compare: async (asked = ranges.slice(0, 1)) => {
      await expectFoldsEqualRows(db, site, asked, new Date(now))
    },
  }
  return story
}

/** Some visits on each of four days: two pages, an event, an error, engagement. */
async function beginWithVisits(options?: Options): Promise<Story> {
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
        hit(at + 4 * MINUTE, {
          type: 'error',
          name: 'error',
          visitorId,
          url: '/done',
          error: { name: 'TypeError', message: `broken ${visit}` },
        }),
      )
    }
    await send(...hits)
  }
  return story
}

describe('what comes after a day was folded counts at once', () => {
  const late: [string, (story: Story) => EnrichedHit[]][] = [
    [
      'a hit inside a session that is over',
      ({ hit }) => [hit(TODAY - DAY + 3 * HOUR + 90_000, { visitorId: ADA, url: '/late' })],
    ],
    [
      'engagement hours after the last hit of a session',
      ({ hit }) => [
        hit(TODAY - DAY + 8 * HOUR, {
          type: 'engagement',
          visitorId: ADA,
          url: '/entry-0',
          engagedMs: 90_000,
          scroll: 80,
        }),
      ],
    ],
    [
      'a session before those that are there',
      ({ hit }) => [
        hit(TODAY - DAY + HOUR, { visitorId: ADA, url: '/early', country: 'FR' }),
        hit(TODAY - 4 * DAY - HOUR, { visitorId: ADA, url: '/first of all' }),
      ],
    ],
    [
      'a hit just before a session, which joins it',
      ({ hit }) => [hit(TODAY - DAY + 3 * HOUR - 20 * MINUTE, { visitorId: ADA, url: '/left' })],
    ],
    [
      'a second page, which makes a bounce none',
      ({ hit }) => [hit(TODAY - DAY + 21 * HOUR + 20 * MINUTE, { visitorId: BOB, url: '/alone' })],
    ],
    [
      'somebody who was never there',
      ({ hit }) => [hit(TODAY - 2 * DAY + 1, { url: '/new' }), hit(TODAY - 2 * DAY - 1, { url: '/new' })],
    ],
    [
      'another user, who ends a session',
      ({ hit }) => [
        hit(TODAY - DAY + 3 * HOUR + 1_000, {
          type: 'identify',
          visitorId: ADA,
          identity: { identifier: 'ada' },
        }),
        hit(TODAY - DAY + 3 * HOUR + 5 * MINUTE, {
          type: 'identify',
          visitorId: ADA,
          identity: { identifier: 'bob' },
        }),
        hit(TODAY - DAY + 3 * HOUR + 6 * MINUTE, { visitorId: ADA, url: '/as bob' }),
      ],
    ],
    [
      'an event with properties, and an error, that nobody had',
      ({ hit }) => [
        hit(TODAY - DAY + 5 * HOUR, { type: 'event', name: 'signup', props: { plan: 'new' }, url: '/done' }),
        hit(TODAY - DAY + 5 * HOUR, {
          type: 'error',
          name: 'error',
          error: { message: 'never before' },
          url: '/done',
        }),
      ],
    ],
  ]
  let story: Story
  beforeAll(async () => {
    story = await beginWithVisits()
  })
  test.each(late)('%s', async (_, makeHits) => {
    // So that only what is new has left a mark.
    await story.refold(TODAY + 2 * HOUR)
    await story.send(...makeHits(story))
    await story.compare()
  })
  test('and when all of it is folded in turn', async () => {
    await story.fold(TODAY + 2 * HOUR)
    await story.fold(TODAY + 3 * DAY)
  })
})

describe('days grow as time goes on', () => {
  test('with sessions that run over midnight', async () => {
    const { hit, send, refold, fold, compare } = await begin()
    await send(hit(TODAY - 2 * DAY + HOUR))
    for (let at = TODAY - 70 * MINUTE; at <= TODAY + 70 * MINUTE; at += 28 * MINUTE) {
      const number = Math.round((at - TODAY) / (28 * MINUTE))
      await send(
        hit(at, { visitorId: ADA, url: `/${number % 3}` }),
        hit(at + 5_000, { type: 'engagement', visitorId: ADA, url: `/${number % 3}`, engagedMs: 4_000 }),
        hit(at + 1, { visitorId: number % 2 === 0 ? BOB : randomUUID(), url: '/other' }),
      )
      await refold(at + 16 * MINUTE)
      await compare(RANGES)
    }
    await fold(TODAY + 3 * DAY)
  })

  test('with a session of 24 hours, and engagement just before they are over', async () => {
    const { hit, send, refold, fold, compare } = await begin()
    const start = TODAY - DAY + 23 * HOUR
    await send(hit(TODAY - 3 * DAY), hit(start, { visitorId: ADA, url: '/long' }))
    await refold(start + 40 * MINUTE)
    for (let at = start + 25 * MINUTE; at < start + DAY; at += 25 * MINUTE) {
      await send(hit(at, { visitorId: ADA, url: `/${Math.round(at / MINUTE) % 4}` }))
      if (Math.round(at / (25 * MINUTE)) % 12 === 0) await refold(at + 20 * MINUTE)
    }
    await refold(start + DAY - HOUR)
    await send(
      hit(start + DAY - 1, { type: 'engagement', visitorId: ADA, url: '/long', engagedMs: 1_000 }),
      hit(start + DAY, { visitorId: ADA, url: '/as late as can be' }),
    )
    await compare()
    await refold(start + DAY + 20 * MINUTE)
    await fold(start + DAY + 2 * HOUR)
    await fold(start + 3 * DAY)
  })

  test('with engagement, in time, of a page that was opened hours ago', async () => {
    const { hit, send, refold, fold, compare } = await begin()
    const start = TODAY - 6 * HOUR
    await send(hit(TODAY - 3 * DAY), hit(start, { visitorId: ADA, url: '/long' }))
    await refold(start + 3 * HOUR)
    for (const at of [start + 3 * HOUR, start + 5 * HOUR]) {
      await send(hit(at, { type: 'engagement', visitorId: ADA, url: '/long', engagedMs: 60_000 }))
      await compare()
      await refold(at + 20 * MINUTE)
      await compare()
      await refold(at + 2 * HOUR)
    }
    await fold(TODAY + 3 * DAY)
  })

  test('with a late hit of a session that goes on', async () => {
    const { hit, send, fold, compare } = await begin()
    const now = TODAY + 30 * MINUTE
    await send(
      hit(TODAY - 3 * DAY),
      hit(TODAY - 10 * MINUTE, { visitorId: ADA, url: '/before midnight' }),
      hit(TODAY + 10 * MINUTE, { visitorId: ADA, url: '/after midnight' }),
    )
    await fold(now)
    await send(hit(TODAY + 5 * MINUTE, { visitorId: ADA, url: '/late' }))
    await compare()
    await fold(now)
    await fold(TODAY + 3 * DAY)
  })

  test('with hits at the very moment up to which is folded, and sessions that close at it', async () => {
    const { hit, send, fold, compare } = await begin()
    const foldedTo = TODAY - 12 * HOUR
    // What comes before it is late and leaves a mark: last, or nobody would see that the others need none.
    const around = [0, 1, -1]
    const closing = around.map(off => ({
      visitorId: randomUUID(),
      at: foldedTo - 30 * MINUTE + off,
      url: `/closing ${off}`,
    }))
    await send(hit(TODAY - 3 * DAY), ...closing.map(({ at, ...fields }) => hit(at, fields)))
    await fold(foldedTo + 15 * MINUTE)
    for (const off of around) {
      const at = foldedTo + off
      await send(...closing.map(({ visitorId }, index) => hit(at + index, { visitorId, url: `/at ${off}` })))
      await compare()
    }
    await fold(foldedTo + 30 * MINUTE)
    await send(...closing.map(({ visitorId }) => hit(foldedTo + 15 * MINUTE, { visitorId, url: '/next' })))
    await compare()
    await fold(foldedTo + HOUR)
    await fold(TODAY + 3 * DAY)
  })
})

describe('whatever values there are', () => {
  test('of texts that are hard to quote or to order, as many as the others', async () => {
    const { hit, send, fold, compare } = await begin()
    // By UTF-16, U+FF5E comes after U+1F600; by code point before it.
    const texts = ['"', "'", '\\', '/', '\n', '{}', '[1,"2"]', 'null', 'é', '\uFF5E', '😀', '', 'a', 'A']
    const hitsOn = (day: number, some: string[]) =>
      some.flatMap((text, index) => {
        const at = TODAY + day * DAY + index * HOUR
        const visitorId = index % 3 === 0 ? ADA : randomUUID()
        return [
          hit(at, { visitorId, url: `/${text}`, title: text, country: text }),
          hit(at + 1, {
            type: 'event',
            name: 'signup',
            visitorId,
            url: '/done',
            props: { [`k${text}`]: text, same: text },
          }),
          hit(at + 2, {
            type: 'event',
            name: `of ${text}`,
            visitorId,
            url: '/done',
            props: { 'property/': text },
          }),
          hit(at + 3, { type: 'error', name: 'error', visitorId, error: { message: text } }),
        ]
      })
    await send(...hitsOn(-3, texts), ...hitsOn(-2, texts.toReversed()))
    await fold(TODAY - DAY)
    await send(...hitsOn(-1, texts.slice(5)))
    await compare()
    await fold(TODAY + HOUR)
  })

  test('of more than anybody looks at, whose visitors come again', async () => {
    const { hit, send, fold } = await begin()
    const visitors = Array.from({ length: 23 }, () => randomUUID())
    const hits = []
    for (let day = -3; day < 0; day++) {
      for (let number = 0; number < 400; number++) {
        // A page is seen by the same few every day, or by others: sums of days say nothing of their order.
        const path = (number * 7) % 90
        const visitor = path % 2 === 0 ? (path + (number % 3)) % 23 : (number * 5 + day * 11 + 60) % 23
        hits.push(
          hit(TODAY + day * DAY + number * 3 * MINUTE, { visitorId: visitors[visitor]!, url: `/${path}` }),
        )
      }
    }
    await send(...hits)
    await fold(TODAY + HOUR)
  })

  test('of what the service writes itself', async () => {
    const { site, send, hit, fold, compare } = await beginWithVisits()
    await fold(TODAY + HOUR)
    const write = (at: number, key: string, visitorId?: string) =>
      db.begin(tx =>
        writeServiceEvents(tx, site, [
          { name: 'payment', at: new Date(at), key, visitorId, properties: { plan: key } },
        ]),
      )
    await write(TODAY - DAY + 5 * HOUR, 'one', ADA)
    await write(TODAY - 2 * DAY + 5 * HOUR, 'two')
    await write(TODAY - 2 * DAY + 6 * HOUR, 'waits', '11111111-1111-4111-8111-111111111111')
    await compare()
    await fold(TODAY + 2 * HOUR)
    await send(hit(TODAY - 2 * DAY, { visitorId: '11111111-1111-4111-8111-111111111111', url: '/found' }))
    await compare()
    await fold(TODAY + 3 * HOUR)
  })

  test.each([
    ['values', { values: 3, events: 500 }],
    ['events', { values: 50_000, events: 1 }],
  ])('of more %s than a fold takes', async (_, limits) => {
    const { site, hit, send, fold, compare } = await beginWithVisits({ limits })
    const tooMany = () => db`
      select from value_folds where site_no = ${site.siteNo} and counts is null`
    await send(hit(TODAY - DAY, { type: 'event', name: 'other', props: { plan: 'free' } }))
    await fold(TODAY - 15 * HOUR)
    await fold(TODAY - 3 * HOUR)
    await fold(TODAY + HOUR)
    expect((await tooMany()).length).toBeGreaterThan(0)
    await send(hit(TODAY - DAY, { type: 'event', name: 'signup', props: { plan: 'late' } }))
    await compare()
    await fold(TODAY + 2 * HOUR)
  })
})

describe('whatever days a site has', () => {
  const zones: [string, string, Days][] = [
    ['America/New_York', 'a day of 23 hours', { from: '2026-03-07', to: '2026-03-09' }],
    ['Asia/Kathmandu', 'an offset of 5:45', { from: '2026-03-08', to: '2026-03-10' }],
    ['Australia/Lord_Howe', 'a change by half an hour', { from: '2026-04-04', to: '2026-04-06' }],
  ]
  test.each(zones)('%s: %s', async (timezone, _, days) => {
    const { hit, send, fold, compare } = await begin({
      timezone,
      ranges: [days],
    })
    const first = Math.floor(Date.parse(days.from) / DAY)
    const last = Math.floor(Date.parse(days.to) / DAY)
    const hits = []
    for (let day = first - 1; day <= last; day++) {
      const start = startOfDay(timezone, day)
      for (const at of [start - 1, start, start + 10 * MINUTE, start + 12 * HOUR]) {
        hits.push(hit(at, { visitorId: ADA, url: `/${at % 7}` }), hit(at, { url: '/other' }))
      }
    }
    hits.sort((a, b) => a.at - b.at)
    const half = Math.floor(hits.length / 2)
    await send(...hits.slice(0, half))
    await fold(hits[half - 1]!.at + 40 * MINUTE)
    await send(...hits.slice(half))
    await compare()
    await fold(hits.at(-1)!.at + 20 * MINUTE)
    await send(hit(startOfDay(timezone, last) - 10 * MINUTE, { visitorId: ADA, url: '/late' }))
    await compare()
    await fold(hits.at(-1)!.at + 3 * DAY)
  })

  test('a change of the time zone begins anew, and no number is ever another', async () => {
    const { site, hit, send, fold, compare } = await beginWithVisits()
    await fold(TODAY + HOUR)
    for (const timezone of ['Asia/Kathmandu', 'America/New_York']) {
      site.timezone = timezone
      await db`update sites set timezone = ${timezone} where site_no = ${site.siteNo}`
      await compare()
      await send(hit(TODAY - 2 * DAY - 30 * MINUTE, { visitorId: BOB, url: '/after the change' }))
      await compare()
      await fold(TODAY + HOUR)
    }
  })

  test('an import before the first event, and into days that had nothing', async () => {
    const { hit, send, fold, compare } = await begin()
    await send(hit(TODAY - 2 * DAY, { visitorId: ADA }), hit(TODAY + HOUR, { visitorId: ADA }))
    await fold(TODAY + 2 * HOUR)
    await send(hit(TODAY - DAY + 7 * HOUR, { visitorId: BOB, url: '/in between' }))
    await compare()
    await fold(TODAY + 2 * HOUR)
    await send(
      hit(TODAY - 4 * DAY + 7 * HOUR, { visitorId: ADA, url: '/before' }),
      hit(TODAY - 60 * DAY, { visitorId: ADA, url: '/long before' }),
    )
    await compare()
    await fold(TODAY + 2 * HOUR)
    await compare([{ from: '2025-12-01', to: '2026-03-10' }])
  })
})

test('rollups: days that an import has left behind are folded while it goes on, and not once more after it', async () => {
  const { site, hit, send, fold, compare } = await begin()
  await send(hit(TODAY + HOUR, { visitorId: ADA }))
  await fold(TODAY + 2 * HOUR)
  const dayBack = (days: number) => TODAY - days * DAY
  await send(
    hit(dayBack(40) + HOUR, { visitorId: ADA, url: '/behind' }),
    hit(dayBack(39) + 23.9 * HOUR, { visitorId: BOB, url: '/behind' }),
    hit(dayBack(37) + HOUR, { visitorId: ADA, url: '/being written' }),
  )
  const folded: number[] = []
  const foldAndNote = async (day: FoldedDay) => {
    folded.push((TODAY - day.start) / DAY)
    await foldDay(db, day)
  }
  const now = new Date(TODAY + 2 * HOUR)
  await foldBehind(db, now, foldAndNote, { until: dayBack(38) + HOUR, budgetMs: 10_000 })
  expect(folded).toEqual([39, 40])
  const marks =
    await db`select bucket from dirty_buckets where aggregate = 'folds' and site_no = ${site.siteNo}`
  expect(marks.map(({ bucket }) => bucket.getTime())).toEqual([dayBack(37) + HOUR])
  await compare([{ from: '2026-01-25', to: '2026-03-10' }])

  await send(hit(dayBack(39) + 2 * HOUR, { visitorId: ADA, url: '/late' }))
  await compare([{ from: '2026-01-25', to: '2026-03-10' }])
  folded.length = 0
  while (await foldSites(db, now, foldAndNote, { budgetMs: 10_000 })) {}
  expect(folded).toContain(39)
  expect(folded).toContain(37)
  expect(folded).not.toContain(40)
  await compare([{ from: '2026-01-25', to: '2026-03-10' }])
})

test('rollups: an import into a site of which nothing is folded yet folds what lies behind it', async () => {
  const { site, hit, send, compare } = await begin({ timezone: 'America/New_York' })
  const other = await begin({ isBeside: true })
  await other.send(other.hit(TODAY + HOUR))
  await other.fold(TODAY + 2 * HOUR)
  await send(hit(TODAY - 9 * DAY, { visitorId: ADA }), hit(TODAY - DAY, { visitorId: BOB }))
  const now = new Date(TODAY + 2 * HOUR)
  await foldBehind(db, now, day => foldDay(db, day), { until: TODAY - 3 * DAY, budgetMs: 10_000 })
  const days = await db`select starts_at from day_folds where site_no = ${site.siteNo} order by starts_at`
  expect(days.map(({ starts_at }) => starts_at.toISOString())).toEqual([
    '2026-02-28T05:00:00.000Z',
    '2026-03-09T04:00:00.000Z',
  ])
  await foldAll(db, now)
  await compare([{ from: '2026-02-25', to: '2026-03-10' }])
})

describe('a round of folding that is cut off', () => {
  /** Folds as far as the `count`th day, and dies before or after it. */
  async function foldUntil(now: number, count: number, isAfter: boolean): Promise<boolean> {
    let folded = 0
    const fold = async (day: FoldedDay) => {
      folded += 1
      if (folded < count) return foldDay(db, day)
      if (isAfter) await foldDay(db, day)
      throw new Error('killed')
    }
    try {
      await foldSites(db, new Date(now), fold, { budgetMs: 10_000 })
      return true
    } catch (error) {
      expect((error as Error).message).toBe('killed')
      return false
    }
  }

  test.each([
    ['before', false],
    ['after', true],
  ])('%s a day was written: late hits count at once, and the next round goes on', async (_, isAfter) => {
    const { hit, send, fold, compare } = await beginWithVisits()
    let isDone = false
    for (let count = 1; !isDone; count++) {
      await db`delete from fold_spans`
      await db`delete from day_folds`
      await db`update horizons set refreshed_to = '-infinity' where aggregate = 'folds'`
      isDone = await foldUntil(TODAY + HOUR, count, isAfter)
      const hits = [1, 2, 3].map(day =>
        hit(TODAY - day * DAY + (count + 9) * HOUR, { visitorId: ADA, url: `/late ${count}` }),
      )
      await send(...hits)
      // A round that has no time for days may take marks off.
      await foldSites(db, new Date(TODAY + HOUR), day => foldDay(db, day), { budgetMs: 0 })
      await compare()
      expect(count).toBeLessThan(10)
    }
    await fold(TODAY + HOUR)
  })
})

test('batches that are stored while days are folded count once', async () => {
  const { hit, send, fold, compare } = await beginWithVisits()
  await fold(TODAY - 2 * HOUR)
  for (let round = 0; round < 4; round++) {
    const now = TODAY - 90 * MINUTE + round * 30 * MINUTE
    const sends = [0, 1, 2].map(partition =>
      storeHits(db, partition, [
        hit(now - (20 + partition) * MINUTE, { url: `/${partition}` }),
        hit(now - 3 * MINUTE, { url: '/just now' }),
        hit(TODAY - 2 * DAY + round * HOUR + partition, { url: '/late' }),
      ]),
    )
    await Promise.all([...sends, foldAll(db, new Date(now)), send(hit(now - DAY, { visitorId: BOB }))])
    await compare()
  }
  await fold(TODAY + HOUR)
})

test('a site that was deleted is folded no more, and the others are', async () => {
  const gone = await beginWithVisits()
  const { fold, site } = await beginWithVisits({ isBeside: true })
  await fold(TODAY - HOUR)
  await db`update sites set deleted_at = now() where site_no = ${gone.site.siteNo}`
  await fold(TODAY + 2 * HOUR)
  const newest = await db<{ siteNo: number; foldedTo: Date }[]>`
    select site_no as "siteNo", max(folded_to) as "foldedTo" from day_folds group by 1`
  const foldedTo = new Map(newest.map(row => [row.siteNo, row.foldedTo.getTime()]))
  expect(foldedTo.get(gone.site.siteNo)).toBe(TODAY - HOUR - 15 * MINUTE)
  expect(foldedTo.get(site.siteNo)).toBe(TODAY + 2 * HOUR - 15 * MINUTE)
})

test('a range that goes on into the future is read from folds too', async () => {
  const { hit, send, fold } = await beginWithVisits({ ranges: [{ from: '2026-03-01', to: '2026-03-31' }] })
  await fold(TODAY + 2 * HOUR)
  await send(hit(TODAY + 2 * HOUR, { visitorId: ADA, url: '/now' }))
  await fold(TODAY + 2 * HOUR)
})

type Work = Parameters<Db['begin']>[1]

describe('somebody who still folds what another has taken over', () => {
  /** Folds a day up to `now`, but writes it only after something else happened. */
  async function foldSlowly(day: FoldedDay, meanwhile: () => Promise<unknown>): Promise<void> {
    const slow = new Proxy(db, {
      get: (target, name) =>
        name === 'begin'
          ? async (...given: [Work] | [string, Work]) => {
              // What only reads names how isolated it is.
              if (given.length === 2) return target.begin(...given)
              await meanwhile()
              return target.begin(...given)
            }
          : Reflect.get(target, name),
    })
    await foldDay(slow, day)
  }
  const yesterday = { start: TODAY - DAY, end: TODAY, zone: 'UTC', foldedTo: TODAY + HOUR, marks: [] }

  test.each([
    ['adds nothing twice', false],
    ['takes nothing back', true],
  ])('%s', async (_, isAnew) => {
    const { site, hit, send, fold, compare } = await beginWithVisits()
    await fold(TODAY - HOUR)
    await send(hit(TODAY - 65 * MINUTE), hit(TODAY - 5 * MINUTE))
    await foldSlowly({ ...yesterday, siteNo: site.siteNo, isAnew }, async () => {
      await send(hit(TODAY - 3 * HOUR, { visitorId: ADA, url: '/meanwhile' }))
      await foldAll(db, new Date(TODAY + 2 * HOUR))
    })
    await compare()
    await fold(TODAY + 3 * HOUR)
  })

  test('writes no day of a time zone that was given up', async () => {
    const { site, hit, send, fold, compare } = await beginWithVisits()
    await fold(TODAY + 2 * HOUR)
    await foldSlowly({ ...yesterday, siteNo: site.siteNo, isAnew: true }, async () => {
      site.timezone = 'Asia/Kathmandu'
      await db`update sites set timezone = ${site.timezone} where site_no = ${site.siteNo}`
      await foldAll(db, new Date(TODAY + 2 * HOUR))
    })
    await send(hit(TODAY - 3 * HOUR, { visitorId: ADA, url: '/late' }))
    await fold(TODAY + 2 * HOUR)
    site.timezone = 'UTC'
    await compare(RANGES)
  })
})
