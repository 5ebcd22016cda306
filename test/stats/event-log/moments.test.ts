import { expect, test } from 'vitest'
import type { Hit } from '../../../src/ingestion/hit.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { writeServiceEvents } from '../../../src/money/ledger/service-events.ts'
import type { Db } from '../../../src/platform/db/connect.ts'
import type { EventLogItem } from '../../../src/stats/event-log/event-item.ts'
import { EventLogQuery, getEventLog } from '../../../src/stats/reads/event-log.ts'
import { getPageTitles, PageTitlesQuery } from '../../../src/stats/reads/page-titles.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { type Random, randomFrom } from '../../support/random-values.ts'
import { readServices, readSite } from '../../support/read-services.ts'
import { runs, seeds } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { within } from '../stored-stream.ts'

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

type Passes = (row: EventLogItem) => boolean

/** Filters, and which rows of the log pass them. */
const FILTERS: [object, Passes][] = [
  [{ path: { is: ['/a'] } }, ({ path }) => path === '/a'],
  [{ event_name: { is_not: ['login'] } }, ({ event_name }) => event_name !== 'login'],
  [{ event_name: { is: ['payment'] } }, ({ event_name }) => event_name === 'payment'],
  [
    { prop_key: { is: ['plan'] }, prop_value: { is: ['team'] } },
    ({ properties }) => properties.plan === 'team',
  ],
  [{ prop_key: { is_not: ['plan'] } }, ({ properties }) => properties.plan === undefined],
  [{ country: { is: ['DE'] } }, ({ country }) => country === 'DE'],
  [{ country: { is_not: ['DE'] } }, ({ country }) => country !== 'DE'],
  [
    { title: { contains: '1' }, country: { is: ['DE', 'FR'] } },
    ({ title, country }) => title.includes('1') && country !== '',
  ],
  [{ title: { ends_with: '3' } }, ({ title }) => title.endsWith('3')],
]

test('hits of one moment: exactly those are on the pages of the log that pass the filters, and the latest of a title has the highest id', async () => {
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
    const { rows: all } = await read({ per_page: 100 })
    for (const [filter, passes] of FILTERS) {
      const titles = async () => {
        const query = PageTitlesQuery.parse({ range: 'today', ...filter })
        for (const { title, path } of (await getPageTitles(services, shape, query)).rows) {
          expect(path, title).toBe(all.find(row => row.title === title && passes(row))!.path)
        }
      }
      await within({ seed, filter, what: 'titles' }, titles())
      const types = random.pick([undefined, 'event', 'pageview'])
      const query = { ...filter, ...(types && { types }) }
      const listed = all.filter(row => passes(row) && (!types || row.event_type === types))
      const perPage = 2 + random.int(9)
      for (let page = 1; page <= 1 + Math.ceil(listed.length / perPage); page++) {
        const paging = { page, per_page: perPage }
        const check = async () => {
          const rows = listed.slice((page - 1) * perPage, page * perPage)
          expect(await read({ ...query, ...paging })).toEqual({ rows, total: listed.length })
        }
        await within({ seed, query, paging }, check())
      }
    }
  }
})
