import { openGeo } from '../../../../src/ingestion/edge/geo.ts'
import { type Imported, importHits } from '../../../../src/ingestion/import/import-hits.ts'
import { exportHits, type HitExport } from '../../../../src/outgoing/transfer/export/export-hits.ts'
import type { Db } from '../../../../src/platform/db/connect.ts'
import { bareConfig } from '../../../support/bare-config.ts'
import { streamOf } from '../../../support/import-lines.ts'
import { silentLog } from '../../../support/log.ts'
import type { TestSite } from '../../../support/sites.ts'

/** After all hits of the tests. */
export const LATER = new Date(Date.UTC(2100, 0, 1))

const geo = openGeo(bareConfig().geoipDatabase)

/** Returns the file of an export; by default the JSON lines of all hits. */
export async function exported(
  db: Db,
  { siteNo }: Pick<TestSite, 'siteNo'>,
  given: Partial<HitExport> = {},
): Promise<Buffer> {
  const isWhole = !given.start && !given.end
  const pieces: Buffer[] = []
  const options = { siteNo, start: new Date(0), end: LATER, isWhole, format: 'jsonl', ...given } as const
  for await (const piece of exportHits(db, options)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Imports lines into a site. */
export async function imported(
  db: Db,
  { siteNo, id }: Pick<TestSite, 'siteNo' | 'id'>,
  text: string | Buffer,
  options: { batchHits?: number; detailsFrom?: Date } = {},
): Promise<Imported> {
  const { batchHits = 50, detailsFrom = null } = options
  const site = { siteNo, siteId: id, trackingMode: 'cookieless', detailsFrom } as const
  const services = { db, geo: await geo, log: silentLog, now: () => LATER, batchHits }
  return importHits(site, streamOf(text.toString(), 50_000), services)
}

/** Stored rows of a site with what must survive: numbers of visitors and sessions and ids of errors may differ. */
export async function rowsOf(db: Db, { siteNo }: Pick<TestSite, 'siteNo'>) {
  const sessions = await db`
    select visitors.id as visitor, sessions.*, duration_ms::int
    from sessions join visitors using (site_no, visitor_no)
    where sessions.site_no = ${siteNo}
    order by started_at, visitors.id`
  const hits = await db`
    select visitors.id as visitor, events.*
    from events join visitors using (site_no, visitor_no)
    where events.site_no = ${siteNo} and not is_service
    order by at, events.id`
  const visitors = await db`select * from visitors where site_no = ${siteNo} order by id`
  const identities = await db`select * from identities where site_no = ${siteNo} order by identifier`
  const groups = await db`select message, name from error_groups where site_no = ${siteNo} order by message`
  const vitals = await db`
    select visitors.id as visitor, web_vitals.*
    from web_vitals join visitors using (site_no, visitor_no)
    where web_vitals.site_no = ${siteNo}
    order by at, web_vitals.id`
  const first = await db`select first_event_at from sites where site_no = ${siteNo}`
  const lists = { sessions, hits, visitors, identities, groups, vitals, first }
  const strip = ({ site_no, visitor_no, session_no, error_id, ...row }: Record<string, unknown>) => row
  return Object.fromEntries(Object.entries(lists).map(([name, rows]) => [name, rows.map(strip)]))
}
