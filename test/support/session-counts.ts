import { expect } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import type { TestSite } from './sites.ts'

const EARLIEST = new Date('2000-01-01T00:00:00Z')
const BUCKET_MS = 900_000

/**
 * Counts the sessions of sites without sessions from a time on; the streams of a test use the possibilities in turn: never, always, and from
 * a time between their hits.
 */
export async function countSessions(db: Db, seed: number, hits: readonly { at: number }[]): Promise<void> {
  if (seed % 3 === 0) {
    await db`update session_count_span set counted_from = 'infinity'`
    return
  }
  const between = hits[Math.floor(hits.length / 3)]?.at ?? 0
  const from = seed % 3 === 1 ? EARLIEST : new Date(Math.floor(between / BUCKET_MS) * BUCKET_MS)
  await db`update session_count_span set counted_from = ${from}`
}

/** @returns how many buckets were compared */
export async function expectCountsEqualRows(db: Db, { siteNo }: TestSite): Promise<number> {
  const counted = await db<{ bucket: Date }[]>`
    select
      bucket, sum(sessions)::int as sessions, sum(bounces)::int as bounces, sum(duration_ms)::float8 as duration_ms
    from session_counts
    where site_no = ${siteNo}
    group by bucket
    having sum(sessions) <> 0 or sum(bounces) <> 0 or sum(duration_ms) <> 0
    order by bucket`
  const rows = await db<{ bucket: Date }[]>`
    select
      time_bucket(interval '15 minutes', started_at) as bucket, count(*)::int as sessions,
      (count(*) filter (where pageviews = 1))::int as bounces, sum(duration_ms)::float8 as duration_ms
    from sessions
    where site_no = ${siteNo} and started_at >= (select counted_from from session_count_span)
    group by 1
    order by 1`
  expect([...counted]).toEqual([...rows])
  return rows.length
}
