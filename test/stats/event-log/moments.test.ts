import { expect, test } from 'vitest'
import type { Db } from '../../../src/db/connect.ts'
import type { Hit } from '../../../src/ingestion/hit.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { writeServiceEvents } from '../../../src/revenue/ledger/service-events.ts'
import { compressSettledChunks } from '../../../src/rollups/columnstore.ts'
import { EventLogQuery, getEventLog } from '../../../src/stats/reports/event-log.ts'
import { getPageTitles, PageTitlesQuery } from '../../../src/stats/reports/page-titles.ts'
import { enrichedHit } from '../../support/hits.ts'
import { keptCounter } from '../../support/kept-counter.ts'
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

test('hits of one moment over columns: exactly those are on the pages of the log that pass the filters, and the latest of a title has the highest id', async () => {
  const { db } = database
  for (const seed of seeds(runs(3))) {
    const random = randomFrom(seed)
    const site = await createTestSite(db)
    await storeHits(db, 0, randomMoments(random, site))
    await writeEvents(db, random, site)
    if (seed % 2 === 0) await compressSettledChunks(db, new Date(Date.UTC(2026, 5, 1)))
    const services = readServices(db, new Date(NOON + 60_000))
    const shape = readSite(site, 'UTC')
    const read = (way: object, query: object) =>
      getEventLog({ ...services, ...way }, shape, EventLogQuery.parse({ range: 'today', ...query }))
    const titlesOf = (way: object, filter: object) =>
      getPageTitles({ ...services, ...way }, shape, PageTitlesQuery.parse({ range: 'today', ...filter }))
    for (const filter of FILTERS) {
      const titles = async () =>
        expect(await titlesOf({ counter: keptCounter(db) }, filter)).toEqual(await titlesOf({}, filter))
      await within({ seed, filter, what: 'titles' }, titles())
      const types = random.pick([undefined, 'event', 'pageview'])
      const query = { ...filter, ...(types && { types }) }
      const all = await read({}, { ...query, per_page: 100 })
      const perPage = 2 + random.int(9)
      for (let page = 1; page <= 1 + Math.ceil(all.total / perPage); page++) {
        const paging = { page, per_page: perPage }
        const check = async () => {
          const found = await read({ counter: keptCounter(db) }, { ...query, ...paging })
          const rows = all.rows.slice((page - 1) * perPage, page * perPage)
          expect(found).toEqual({ rows, total: all.total })
        }
        await within({ seed, query, paging }, check())
      }
    }
  }
})
