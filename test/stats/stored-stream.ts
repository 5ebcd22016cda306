import { readQuery } from '../../src/http/api/query.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { COPIED_COLUMNS } from '../../src/platform/dimensions/dimensions.ts'
import { filterParameters } from '../support/filter-parameters.ts'
import { readSite } from '../support/read-services.ts'
import { recountSessions, type SentHit } from '../support/recount.ts'
import { addDays, daysBetween } from '../support/recount-days.ts'
import type { Filters } from '../support/recount-filters.ts'
import { type Visit, worldOf } from '../support/recount-world.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { storeVisits, withoutRepeatedDrops } from '../support/stored-visits.ts'

interface Stream {
  zone: string
  hits: SentHit[]
  /** The hits in batches, in the order in which they arrive. */
  arrivals: SentHit[][]
}

/**
 * Stores a stream of hits as those of a new site, and recounts its sessions.
 * @param between called after each batch with its latest time, its number from 1, and how many there are
 */
export async function storeStream(
  db: Db,
  { zone, hits, arrivals }: Stream,
  between: (now: number, batch: number, batches: number) => Promise<void> = async () => {},
) {
  const site = await createTestSite(db, { timezone: zone })
  const recount = recountSessions(arrivals)
  const world = worldOf(hits, recount, zone)
  const batches = withoutRepeatedDrops(arrivals, recount.dropped)
  let batch = 0
  await storeVisits(db, site, batches, now => between(now, ++batch, batches.length))
  return { site, world, shape: readSite(site, zone) }
}

/** Filters as a request has them that takes the parameters of a schema. */
export const inputOf = (filters: Filters, schema: { shape: object }) =>
  readQuery(`/?${filterParameters(filters)}`, new Set(Object.keys(schema.shape))).input

/** The same number of days just before. */
export const daysBefore = ({ from, to }: { from: string; to: string }) => ({
  from: addDays(from, -(daysBetween(from, to) + 1)),
  to: addDays(from, -1),
})

/** Says at which point of the random cases a check failed. */
export async function within(point: object, check: Promise<void>): Promise<void> {
  await check.catch(error => {
    throw new Error(`${JSON.stringify(point)}: ${(error as Error).message}`, { cause: error })
  })
}

/** Writes an event of the service of a visit; without its session, it names the visitor alone. */
export const storeServiceEvent = (
  db: Db,
  { siteNo }: TestSite,
  { visitor, startedAt }: Pick<Visit, 'visitor' | 'startedAt'>,
  { at, name, hasSession = true }: { at: number; name: string; hasSession?: boolean },
) => db`
  insert into events (
    site_no, at, id, type, name, is_service, visitor_no, session_no, session_at, hostname, path, url, title,
    ${db(COPIED_COLUMNS)}
  )
  select
    site_no, ${new Date(at)}, gen_random_uuid(), 'event', ${name}, true,
    visitor_no, ${hasSession ? db`session_no, started_at` : db`null, null`}, '', '', '', '', ${db(COPIED_COLUMNS)}
  from sessions
  join visitors using (visitor_no, site_no)
  where site_no = ${siteNo} and visitors.id = ${visitor} and started_at = ${new Date(startedAt)}`
