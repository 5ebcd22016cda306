import { expect, test } from 'vitest'
import type { EnrichedHit } from '../../../src/ingestion/hit.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import {
  deleteServiceEvents,
  type ServiceEvent,
  writeServiceEvents,
} from '../../../src/money/ledger/service-events.ts'
import { EVENT_TYPES, type EventType } from '../../../src/platform/dimensions/event-types.ts'
import { Download } from '../../../src/platform/schema/download.ts'
import type { Page, PageQuery } from '../../../src/platform/schema/pagination.ts'
import type { Counter } from '../../../src/stats/counts/counter.ts'
import { readLog } from '../../../src/stats/event-log/log-pages.ts'
import { readSessions } from '../../../src/stats/sessions/session-pages.ts'
import { OPEN_MS } from '../../../src/storage/rollups/watermarks.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { keptCounter } from '../../support/kept-counter.ts'
import { type Random, randomFrom } from '../../support/random-values.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { runs, seeds } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'

const db = dbOf(useDatabase(testDatabase))

const [HOUR, DAY] = [3_600_000, 86_400_000]
const ZONE = 'America/New_York'
/** Midnight in New York; the clocks change in the night to the fourth day. */
const START = Date.UTC(2026, 2, 5, 5)
const DAYS = 12
const END = START + DAYS * DAY
const PER_PAGE = 7

const visitorOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

function randomHit(random: Random, site: TestSite, at: number): EnrichedHit {
  const type = random.pick([...EVENT_TYPES, 'pageview', 'pageview', 'engagement', 'identify'] as const)
  return enrichedHit(site, at, {
    type,
    visitorId: visitorOf(random.int(6)),
    ...(type !== 'pageview' && type !== 'engagement' && type !== 'identify' && { name: 'name' }),
    ...(type === 'identify' && { identity: { identifier: 'somebody' } }),
  })
}

/** Hits of many days, several of them at the same moment; none on some days. */
function randomHits(random: Random, site: TestSite): EnrichedHit[] {
  const hits: EnrichedHit[] = []
  for (let day = 0; day < DAYS; day++) {
    for (let left = random.pick([0, 3, 20, 40]); left > 0; left--) {
      hits.push(randomHit(random, site, START + day * DAY + random.int(600) * 144_000))
    }
  }
  return hits.sort((a, b) => a.at - b.at)
}

const randomEvents = (random: Random, prefix: string): ServiceEvent[] =>
  Array.from({ length: 10 }, (_, index) => ({
    name: 'payment',
    at: new Date(START + random.int(DAYS * 24) * HOUR),
    key: `${prefix}-${index}`,
    visitorId: random.pick([visitorOf(1), undefined]),
  }))

interface Span {
  start: Date
  end: Date
}

const spanOf = (start: number, end: number): Span => ({ start: new Date(start), end: new Date(end) })
const resolvedOf = ({ siteNo }: TestSite, { start, end }: Span) => ({
  siteNo,
  start,
  end,
  question: {
    start: start.getTime(),
    end: end.getTime(),
    filters: [],
    properties: [],
    goals: [],
    requested: 0 as const,
  },
})

/** Reads both lists, and notes for which times columns were asked which rows are on a page. */
function readsOf(site: TestSite) {
  const kept = keptCounter(db)
  const asked: Span[] = []
  const counter: Counter = {
    count: (name, siteNo, question, more) => {
      const { limit } = more as { limit?: number }
      if (limit && (name === 'log' || name === 'sessions')) asked.push(spanOf(question.start, question.end))
      return kept.count(name, siteNo, question, more)
    },
  }
  const services = { reads: db, counter }
  return {
    asked,
    log: async (span: Span, types: EventType[], query: PageQuery): Promise<Page<string>> => {
      const { rows, total } = await readLog(services, resolvedOf(site, span), query, { types })
      return { rows: rows.map(({ id }) => id), total }
    },
    sessions: async (span: Span, query: PageQuery): Promise<Page<number>> => {
      const source = { resolved: resolvedOf(site, span), currency: 'USD' }
      const { rows, total } = await readSessions(services, source, query)
      return { rows: rows.map(({ sessionNo }) => sessionNo), total }
    },
  }
}

const storedHits = async ({ siteNo }: TestSite, { start, end }: Span, types: readonly EventType[]) =>
  (
    await db<{ id: string }[]>`
      select id from events
      where site_no = ${siteNo} and at >= ${start} and at < ${end} and type = any(${types as string[]})
      order by at desc, id desc`
  ).map(({ id }) => id)

const storedSessions = async ({ siteNo }: TestSite, { start, end }: Span) =>
  (
    await db<{ no: number }[]>`
      select session_no as no from sessions
      where site_no = ${siteNo} and started_at >= ${start} and started_at < ${end}
      order by started_at desc, session_no desc`
  ).map(({ no }) => no)

/** Expects that all pages together, and one beyond, are the list. */
async function expectPages<Row>(
  all: readonly Row[],
  read: (query: PageQuery) => Promise<Page<Row>>,
): Promise<void> {
  for (let page = 1; page <= Math.ceil(all.length / PER_PAGE) + 1; page++) {
    const rows = all.slice((page - 1) * PER_PAGE, page * PER_PAGE)
    expect(await read({ page, per_page: PER_PAGE })).toEqual({ rows, total: all.length })
  }
}

async function expectLists(random: Random, site: TestSite, reads: ReturnType<typeof readsOf>): Promise<void> {
  const cut = START + random.int(10 * 24 * 4) * 900_000
  const some = [...EVENT_TYPES].filter(() => random.chance(0.4))
  for (const span of [spanOf(START, END), spanOf(cut, END - random.int(40) * HOUR), spanOf(cut, cut + DAY)]) {
    if (span.start >= span.end) continue
    for (const types of [[...EVENT_TYPES], some]) {
      await expectPages(await storedHits(site, span, types), query => reads.log(span, types, query))
    }
    await expectPages(await storedSessions(site, span), query => reads.sessions(span, query))
  }
}

test(`lists without filters: pages equal the rows, of days with and without rollups (${runs(4)} streams)`, async () => {
  for (const seed of seeds(runs(4))) {
    const random = randomFrom(seed)
    const site = await createTestSite(db, { timezone: ZONE })
    const reads = readsOf(site)
    await storeHits(db, 0, randomHits(random, site))
    const events = randomEvents(random, 'early')
    await db.begin(tx => writeServiceEvents(tx, site, events))
    await expectLists(random, site, reads)
    await rollUpAll(db, new Date(END - 2 * DAY + OPEN_MS))
    await expectLists(random, site, reads)

    // Late: hits mark their days; events of the service, which rollups do not have, come and go.
    const late = Array.from({ length: 12 }, () =>
      randomHit(random, site, START + random.pick([1, 6]) * DAY + random.int(DAY)),
    )
    await storeHits(db, 1, late)
    await db.begin(tx => writeServiceEvents(tx, site, randomEvents(random, 'late')))
    await db.begin(tx => deleteServiceEvents(tx, site, events.slice(0, 4)))
    await expectLists(random, site, reads)
  }
})

test('lists without filters: only the days of a page are asked which rows it has', async () => {
  const site = await createTestSite(db)
  const start = Date.UTC(2026, 2, 9)
  const hits = Array.from({ length: 30 * 20 }, (_, index) =>
    enrichedHit(site, start + Math.floor(index / 20) * DAY + (index % 20) * 2 * HOUR * 0.5, {
      visitorId: visitorOf(index % 20),
    }),
  )
  await storeHits(db, 0, hits)
  await rollUpAll(db, new Date(start + 30 * DAY + OPEN_MS))
  const reads = readsOf(site)
  const span = spanOf(start, start + 30 * DAY)
  await reads.log(span, [...EVENT_TYPES], { page: 15, per_page: 20 })
  await reads.sessions(span, { page: 15, per_page: 20 })
  const day = spanOf(start + 15 * DAY, start + 16 * DAY)
  expect(reads.asked).toEqual([day, day])
  await reads.log(span, [...EVENT_TYPES], { page: 2, per_page: 30 })
  expect(reads.asked.at(-1)).toEqual(spanOf(start + 27 * DAY, start + 29 * DAY))
})

test('lists without filters: a download has what was there when it began once, and what comes meanwhile at most once', async () => {
  const random = randomFrom(1)
  const site = await createTestSite(db, { timezone: ZONE })
  const many = Array.from({ length: 2_600 }, (_, index) =>
    randomHit(random, site, START + Math.floor(index / 650) * DAY + random.int(20) * HOUR),
  )
  await storeHits(
    db,
    0,
    many.sort((a, b) => a.at - b.at),
  )
  await rollUpAll(db, new Date(START + 3 * DAY + OPEN_MS))
  const reads = readsOf(site)
  const span = spanOf(START, START + 5 * DAY)
  const all = { page: 1, per_page: 50 }
  const arrive = () =>
    storeHits(
      db,
      1,
      Array.from({ length: 9 }, (_, index) => randomHit(random, site, START + (index % 5) * 23 * HOUR)),
    )
  for (const [stored, read] of [
    [() => storedHits(site, span, EVENT_TYPES), () => reads.log(span, [...EVENT_TYPES], all)],
    [() => storedSessions(site, span), () => reads.sessions(span, all)],
  ] as [() => Promise<unknown[]>, () => Promise<Page<unknown>>][]) {
    const before = await stored()
    const download = new Download({ startedAt: new Date(END), isWhole: true })
    const rows: unknown[] = []
    const totals = new Set<number>()
    do {
      rows.push(
        ...(await download.next(async () => {
          const page = await read()
          totals.add(page.total)
          download.take(page.rows, page.total)
        })),
      )
      await arrive()
    } while (!download.isComplete)
    expect([...totals]).toEqual([before.length])
    expect(new Set(rows).size).toBe(rows.length)
    expect(before.filter(row => !rows.includes(row))).toEqual([])
    const after = await stored()
    expect(rows).toEqual(after.filter(row => rows.includes(row)))
  }
})
