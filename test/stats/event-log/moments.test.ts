import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { Db } from '../../../src/db/connect.ts'
import type { Hit } from '../../../src/ingestion/hit.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { writeServiceEvents } from '../../../src/revenue/ledger/service-events.ts'
import { compressSettledChunks } from '../../../src/rollups/columnstore.ts'
import type { EventLogItem } from '../../../src/stats/event-log/event-item.ts'
import { EventLogQuery, getEventLog } from '../../../src/stats/reports/event-log.ts'
import { getPageTitles, PageTitlesQuery } from '../../../src/stats/reports/page-titles.ts'
import { enrichedHit } from '../../support/hits.ts'
import { type Random, randomFrom } from '../../support/random-values.ts'
import { readServices, readSite } from '../../support/read-services.ts'
import { runs, seeds } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { useDatabase, within } from '../stored-stream.ts'

const database = useDatabase()

const NOON = Date.UTC(2026, 2, 10, 12)
const VISITORS = Array.from(
  { length: 5 },
  (_, index) => `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
)
const COUNTRIES = ['DE', 'FR']

/** Hits at three moments: of several sessions, with engagement and identities between them. */
function randomMoments(random: Random, site: TestSite) {
  return Array.from({ length: 60 }, (_, number) => {
    const visitor = random.int(VISITORS.length)
    const fields: Partial<Hit> = {
      visitorId: VISITORS[visitor]!,
      country: COUNTRIES[visitor % 2]!,
      url: random.pick(['/a', '/b']),
      title: random.pick(['Shared', 'Common 1', `title ${number}`, `title ${number}`]),
      ...(random.chance(0.3) && { props: { plan: random.pick(['team', 'solo']) } }),
      ...random.pick<Partial<Hit>>([
        {},
        { type: 'event', name: random.pick(['signup', 'login']) },
        { type: 'engagement', scroll: 50, engagedMs: 1_000 },
        { type: 'identify', identity: { identifier: `user ${visitor}` } },
      ]),
    }
    return enrichedHit(site, NOON + random.int(3), fields)
  })
}

/** Events of the service at the same moments: of visitors with a session, of new ones, and of nobody. */
const writeEvents = (db: Db, random: Random, site: TestSite) =>
  db.begin(tx =>
    writeServiceEvents(
      tx,
      site,
      Array.from({ length: 8 }, (_, index) => {
        const visitorId = random.pick([...VISITORS, undefined])
        return {
          ...{ name: 'payment' as const, at: new Date(NOON + random.int(3)), key: `sale-${index}` },
          ...{ properties: { amount: String(index) }, ...(visitorId && { visitorId }) },
        }
      }),
    ),
  )

const FILTERS: object[] = [
  {},
  { path: { is: ['/a'] } },
  { event_name: { is_not: ['login'] } },
  { event_name: { is: ['payment'] } },
  { prop_key: { is: ['plan'] }, prop_value: { is: ['team'] } },
  { prop_key: { is_not: ['plan'] } },
  { country: { is: ['DE'] } },
  { country: { is_not: ['DE'] } },
  { title: { contains: '1' }, country: { is: ['DE', 'FR'] } },
  { title: { ends_with: '3' } },
]

/** Expects that a list has some of the items of another one, in the same order. */
function expectPartOf(whole: EventLogItem[], part: EventLogItem[]) {
  let found = 0
  for (const item of whole) if (isDeepStrictEqual(item, part[found])) found += 1
  expect(found).toBe(part.length)
}

test('hits of one moment: under filters, pages of the log have them in the order of their ids, and the latest of a title has the highest id', async () => {
  const { db } = database
  for (const seed of seeds(runs(3))) {
    const random = randomFrom(seed)
    const site = await createTestSite(db)
    await storeHits(db, 0, randomMoments(random, site))
    await writeEvents(db, random, site)
    if (seed % 2 === 0) await compressSettledChunks(db, new Date(Date.UTC(2026, 5, 1)))
    const services = readServices(db, new Date(NOON + 60_000))
    const shape = readSite(site, 'UTC')
    const read = (query: object) =>
      getEventLog(services, shape, EventLogQuery.parse({ range: 'today', ...query }))
    // Without filters, the database sorts the rows.
    const unfiltered = await read({ per_page: 100 })
    for (const filter of FILTERS) {
      const every = await read({ ...filter, per_page: 100 })
      expectPartOf(unfiltered.rows, every.rows)
      const titles = async () => {
        const query = PageTitlesQuery.parse({ range: 'today', per_page: 100, ...filter })
        const { rows } = await getPageTitles(services, shape, query)
        expect(new Set(rows.map(({ title }) => title))).toEqual(
          new Set(every.rows.map(({ title }) => title).filter(title => title !== '')),
        )
        for (const { title, path, hostname } of rows) {
          expect(every.rows.find(item => item.title === title)).toMatchObject({ path, hostname })
        }
      }
      await within({ seed, filter, what: 'titles' }, titles())
      const types = random.pick([undefined, 'event', 'pageview'])
      const query = { ...filter, ...(types && { types }) }
      const all = await read({ ...query, per_page: 100 })
      expect(all.rows).toEqual(every.rows.filter(({ event_type }) => !types || event_type === types))
      const perPage = 2 + random.int(9)
      for (let page = 1; page <= 1 + Math.ceil(all.total / perPage); page++) {
        const paging = { page, per_page: perPage }
        const check = async () => {
          const rows = all.rows.slice((page - 1) * perPage, page * perPage)
          expect(await read({ ...query, ...paging })).toEqual({ rows, total: all.total })
        }
        await within({ seed, query, paging }, check())
      }
    }
  }
})
