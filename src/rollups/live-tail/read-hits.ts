import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { datesOf, type Window } from '../protocol.ts'

/** A hit as a live tail takes it: not one of the service, and no identify hit. */
export interface TailHit {
  /** Unix milliseconds. */
  at: number
  /** Of the id. */
  hash: number
  type: string
  sessionNo: number | null
  visitorNo: number | null
  sessionAt: number | null
  path: string
  title: string
  hostname: string
  event_name: string
  error: string | null
  engagedMs: number | null
  scroll: number | null
  /** JSON array of what the session takes from this hit, which opened it. */
  opened: string | null
}

const selectHits = query<{ siteNo: number; from: Date; to: Date; sessionNos: number[] | null }, TailHit>(
  'read-tail-hits',
)

const selectSeconds = query<
  { siteNo: number; from: Date; to: Date | null },
  { second: number; hits: number; hash: number }
>(
  'read-tail-seconds',
  `
  -- By buckets: the seconds of each row, as a number, would take as long as all the rest.
  select extract(epoch from bucket)::float8 as second, hits, hash
  from (
    select time_bucket(interval '1 second', at) as bucket, count(*) as hits, bit_xor(uuid_hash(id)) as hash
    from events
    where site_no = :siteNo::int and at >= :from::timestamptz and at < coalesce(:to::timestamptz, 'infinity')
      and type <> 'identify' and not is_service
    group by 1
  ) as counted`,
)

/** Which hits a second has: their number, and a hash of their ids. */
export interface SecondHits {
  hits: number
  hash: number
}

/** Returns the hits in a window, in no order. */
export const readHits = (tx: Queryable, siteNo: number, { start, end }: Window): Promise<TailHit[]> =>
  selectHits(tx, { siteNo, from: new Date(start), to: new Date(end), sessionNos: null })

/** Returns the hits in a window of some sessions, and of all sessions that started since its end. */
export const readHitsOf = (
  tx: Queryable,
  siteNo: number,
  window: Window,
  sessionNos: number[],
): Promise<TailHit[]> => {
  const { start, end } = datesOf(window)
  return selectHits(tx, { siteNo, from: start, to: end, sessionNos })
}

/** Returns which hits each second has from a time on, by the second since 1970; without `to`, up to the newest hit. */
export async function readSeconds(
  tx: Queryable,
  siteNo: number,
  from: number,
  to?: number,
): Promise<Map<number, SecondHits>> {
  const rows = await selectSeconds(tx, {
    siteNo,
    from: new Date(from),
    to: to === undefined ? null : new Date(to),
  })
  return new Map(rows.map(({ second, ...hits }) => [second, hits]))
}
