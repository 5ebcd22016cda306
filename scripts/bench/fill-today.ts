import { type AnySite, findSiteAnywhere } from '../../src/access/sites/find-site.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { query } from '../../src/platform/db/query.ts'
import { MINUTE_MS } from '../../src/platform/lib/time.ts'
import { markBuckets } from '../../src/storage/rollups/dirty.ts'
import type { Api } from './service.ts'

/** Hits of a session in `bench-fill-today.sql`, on average. */
const HITS_PER_SESSION = 4.2
/** Time of one statement. */
const PORTION_MS = 10 * MINUTE_MS

const insertHits = query<{
  siteNo: number
  from: number
  perSecond: number
  start: Date
  end: Date
  until: Date
}>('bench-fill-today')

const findNextNo = query<void, { next: number }>(
  'bench-find-next-no',
  'select coalesce(max(visitor_no), 0) + 1 as next from visitors',
)

// What storing draws afterwards comes after what was inserted.
const setNumbers = query(
  'bench-set-numbers',
  `select
    setval('visitor_numbers', (select max(visitor_no) from visitors)),
    setval('session_numbers', (select max(visitor_no) from visitors))`,
)

const setFirstEvent = query<{ siteNo: number; at: Date }>(
  'bench-set-first-event',
  'update sites set first_event_at = least(first_event_at, :at::timestamptz) where site_no = :siteNo::int',
)

const findLastSession = query<{ siteNo: number; since: Date }, { at: number | null }>(
  'bench-find-last-session',
  `select (extract(epoch from max(started_at)) * 1000)::bigint as at
  from sessions
  where site_no = :siteNo::int and started_at > :since::timestamptz`,
)

export interface FilledSite {
  site: AnySite
  /** Whether it was made just now. */
  isNew: boolean
}

/** Finds a site, or makes it with this time zone. */
export async function findOrAddSite(
  api: Api,
  db: Db,
  { domain, timezone }: { domain: string; timezone: string },
): Promise<FilledSite> {
  const known = await api<{ id: string }>('GET', `/api/sites/${domain}`).catch(() => undefined)
  const { id } = known ?? (await api<{ id: string }>('POST', '/api/sites', { domain, timezone }))
  return { site: await findSiteAnywhere(db, id), isNew: !known }
}

/**
 * Adds hits of a site between two times, Unix milliseconds, at a steady rate a second; sessions that go on have hits up to `until`, which
 * is `end` unless given.
 */
export async function addHits(
  db: Db,
  siteNo: number,
  { start, end, until = end, rate }: { start: number; end: number; until?: number; rate: number },
): Promise<void> {
  for (let from = start; from < end; from += PORTION_MS) {
    const [numbers] = await findNextNo(db)
    await insertHits(db, {
      siteNo,
      from: numbers!.next,
      perSecond: rate / HITS_PER_SESSION,
      start: new Date(from),
      end: new Date(Math.min(from + PORTION_MS, end)),
      until: new Date(until),
    })
  }
  await setNumbers(db)
  await setFirstEvent(db, { siteNo, at: new Date(start) })
  const buckets = Array.from({ length: Math.ceil((end - start) / MINUTE_MS) }, (_, minute) => ({
    siteNo,
    at: start + minute * MINUTE_MS,
  }))
  for (const aggregate of ['hits', 'daily_rollups'] as const)
    await db.begin(tx => markBuckets(tx, aggregate, buckets))
}

/** Returns the start of the newest session since a time, Unix milliseconds; that time without one. */
export async function lastSessionAt(db: Db, siteNo: number, since: number): Promise<number> {
  const [last] = await findLastSession(db, { siteNo, since: new Date(since) })
  return last?.at ?? since
}
