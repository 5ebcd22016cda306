import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import type { Db } from '../../../src/db/connect.ts'
import { type Geo, openGeo } from '../../../src/ingestion/edge/geo.ts'
import { type Imported, importHits } from '../../../src/ingestion/import/import-hits.ts'
import { exportHits } from '../../../src/transfer/export/export-hits.ts'
import { type TestDatabase, testDatabase } from '../../support/database.ts'
import { expectSameReads, readAt } from '../../support/expect-reads.ts'
import { streamOf } from '../../support/import-lines.ts'
import { silentLog } from '../../support/log.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { randomGoals } from '../../support/random-goals.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { recountSessions } from '../../support/recount.ts'
import { randomMoney, storeMoney } from '../../support/recount-money.ts'
import { worldOf } from '../../support/recount-world.ts'
import { runs } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { replaceGoals, storeVisits, withoutRepeatedDrops } from '../../support/stored-visits.ts'

const LATER = new Date(Date.UTC(2100, 0, 1))
const STREAMS = runs(6)

let source: TestDatabase
let target: TestDatabase
let geo: Geo
beforeAll(async () => {
  ;[source, target] = await Promise.all([testDatabase(), testDatabase()])
  const environment = { DATABASE_URL: source.url, REDIS_URL: 'redis://nowhere', SECRET_KEY: '0'.repeat(64) }
  geo = await openGeo(loadConfig(environment).geoipDatabase)
})
afterAll(() => Promise.all([source.close(), target.close()]))

async function exported(db: Db, { siteNo }: TestSite, span: { start?: Date; end?: Date } = {}) {
  const isWhole = !span.start && !span.end
  const given = { siteNo, start: new Date(0), end: LATER, isWhole, format: 'jsonl', ...span } as const
  let text = ''
  for await (const bytes of exportHits(db, given)) text += bytes.toString()
  return text
}

function imported(db: Db, { siteNo, id }: TestSite, text: string, batchHits = 7): Promise<Imported> {
  const site = { siteNo, siteId: id, trackingMode: 'cookieless' } as const
  return importHits(site, streamOf(text, 5_000), { db, geo, log: silentLog, now: () => LATER, batchHits })
}

/** Stored rows of a site with what must survive; numbers of visitors and sessions may differ. */
async function rowsOf(db: Db, { siteNo }: TestSite) {
  const sessions = await db`
    select visitors.id as visitor, sessions.*, duration_ms::int
    from sessions join visitors using (visitor_no)
    where sessions.site_no = ${siteNo}
    order by started_at, visitors.id`
  const hits = await db`
    select visitors.id as visitor, events.*
    from events join visitors using (visitor_no)
    where events.site_no = ${siteNo} and not is_service
    order by at, events.id`
  const visitors = await db`select * from visitors where site_no = ${siteNo} order by id`
  const identities = await db`select * from identities where site_no = ${siteNo} order by identifier`
  const groups = await db`select message, name from error_groups where site_no = ${siteNo} order by message`
  const vitals = await db`
    select visitors.id as visitor, web_vitals.*
    from web_vitals join visitors using (visitor_no)
    where web_vitals.site_no = ${siteNo}
    order by at, web_vitals.id`
  const lists = { sessions, hits, visitors, identities, groups, vitals }
  const strip = ({ site_no, visitor_no, session_no, error_id, ...row }: Record<string, unknown>) => row
  return Object.fromEntries(Object.entries(lists).map(([name, rows]) => [name, rows.map(strip)]))
}

describe('round trip', () => {
  test(`an export is imported into an empty site with every stored value (${STREAMS} streams)`, async () => {
    for (let seed = 1; seed <= STREAMS; seed++) {
      const stream = randomVisits(seed)
      const recount = recountSessions(stream.late)
      const site = await createTestSite(source.db, { timezone: stream.zone })
      await storeVisits(source.db, site, withoutRepeatedDrops(stream.late, recount.dropped))
      const text = await exported(source.db, site)
      const lines = text.split('\n').length - 1
      const copy = await createTestSite(target.db, { timezone: stream.zone })
      const result = await imported(target.db, copy, text, 1 + seed * 3)
      expect({ seed, ...result }).toEqual({
        seed,
        accepted: lines,
        dropped: 0,
        rejected: [],
        rejected_total: 0,
      })
      expect(await rowsOf(target.db, copy)).toEqual(await rowsOf(source.db, site))
    }
  }, 300_000)
})
