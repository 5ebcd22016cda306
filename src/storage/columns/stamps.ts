import { randomBytes } from 'node:crypto'
import type { Db, Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import { dayOf, type Span } from './spans.ts'

// Which columns in memory are old. A transaction that changes what columns hold adds a random number for the time span of the change; columns
// are as the rows as long as the exclusive or of all stamps of their span is the same.

/**
 * What columns hold: sessions with their hits, by the start of the session; or events of the service, or payments and MRR movements, by their
 * own time. Triggers of the database set the stamps of money.
 */
export type StampKind = 'sessions' | 'service' | 'money'

interface Change {
  siteNo: number
  /** Unix milliseconds. */
  at: number
}

// Of each change a minute for what is at most three hours old, else an hour up to three days, else a day: an hour and a day longer than columns
// are kept by minutes and hours, so that no stamp becomes longer than the column that has just been joined.
const insertStamps = query<{ siteNos: number[]; kinds: string[]; times: Date[]; stamps: string[] }>(
  'insert-stamps',
  `insert into new_stamps (site_no, kind, starts_at, minutes, stamp)
  select site_no, kind, date_bin(minutes * interval '1 minute', at, '2000-01-01T00:00:00Z'), minutes, bit_xor(stamp)
  from (
    select
      site_no, kind, at, stamp::bigint as stamp,
      case when at > now() - interval '3 hours' then 1 when at > now() - interval '3 days' then 60 else 1440 end as minutes
    from unnest(:siteNos::int[], :kinds::text[], :times::timestamptz[], :stamps::text[])
      as given (site_no, kind, at, stamp)
  ) as change
  group by 1, 2, 3, 4`,
)

/**
 * Says that a transaction has changed sessions or their hits, or events of the service. Every transaction that does so must call it,
 * before or after.
 */
export async function stampChanges(
  tx: Transaction,
  kind: Exclude<StampKind, 'money'>,
  changes: readonly Change[],
): Promise<void> {
  const minutes = new Map<string, Change>()
  for (const change of changes) minutes.set(`${change.siteNo} ${Math.floor(change.at / MINUTE_MS)}`, change)
  if (minutes.size === 0) return
  const stamped = [...minutes.values()]
  await insertStamps(tx, {
    siteNos: stamped.map(({ siteNo }) => siteNo),
    kinds: stamped.map(() => kind),
    times: stamped.map(({ at }) => new Date(at)),
    stamps: stamped.map(() => randomBytes(8).readBigInt64BE().toString()),
  })
}

/** The same for events of the service, by their times. */
export const stampServiceEvents = (
  tx: Transaction,
  events: readonly { siteNo: number; at: Date }[],
): Promise<void> =>
  stampChanges(
    tx,
    'service',
    events.map(({ siteNo, at }) => ({ siteNo, at: at.getTime() })),
  )

const selectStampedSites = query<{ least: number; limit: number }, { siteNo: number }>(
  'select-stamped-sites',
  `select site_no as "siteNo"
  from new_stamps
  group by site_no
  having count(*) >= :least::int
  order by count(*) desc
  limit :limit::int`,
)
/** Keeps the stamps of a site few, and deletes its stored blocks whose rows have changed. */
export const mergeStamps = query<{ siteNo: number }>('merge-stamps')

/** New stamps of a site that a reader adds up with little effort. */
const FEW_STAMPS = 100
const SITES = 200

/**
 * Keeps the stamps of each site few. No column becomes old by it.
 * @returns true when more sites remain
 */
export async function mergeNewStamps(db: Db, least = FEW_STAMPS): Promise<boolean> {
  const sites = await selectStampedSites(db, { least, limit: SITES })
  for (const { siteNo } of sites) await mergeStamps(db, { siteNo })
  return sites.length === SITES
}

type Columns = { kinds: StampKind[]; starts: number[]; minutes: number[]; stamps: string[] }

const selectStamps = query<
  { siteNo: number },
  (Columns | { [Column in keyof Columns]: null }) &
    Record<'firstAt' | 'firstServiceAt' | 'firstMoneyAt', number | null> & { erasures: number }
>('read-stamps')

/** Stamps of a site, as one snapshot of the database has them. */
export class Stamps {
  /** By the start of the day UTC, for each kind. */
  readonly #days: Record<StampKind, Map<number, Stamped[]>> = {
    sessions: new Map(),
    service: new Map(),
    money: new Map(),
  }

  /** The first event of the site, of each kind, Unix milliseconds; Infinity without any. */
  readonly firstAt: Record<StampKind, number>

  /** How many persons were erased from the site. */
  readonly erasures: number

  constructor(
    { kinds, starts, minutes, stamps }: Columns,
    firstAt: Record<StampKind, number>,
    erasures: number,
  ) {
    this.firstAt = firstAt
    this.erasures = erasures
    for (const [index, start] of starts.entries()) {
      const stamped = { start, end: start + minutes[index]! * MINUTE_MS, stamp: BigInt(stamps[index]!) }
      const days = this.#days[kinds[index]!]
      const day = dayOf(start)
      const known = days.get(day)
      if (known) known.push(stamped)
      else days.set(day, [stamped])
    }
  }

  /** Returns the exclusive or of all stamps of a span. */
  of(kind: StampKind, span: Span): bigint {
    const days = this.#days[kind]
    const first = dayOf(span.start)
    const isWithinDay = span.end <= first + DAY_MS
    let all = 0n
    for (const stamped of isWithinDay ? [days.get(first) ?? []] : days.values()) {
      for (const { start, end, stamp } of stamped) if (start < span.end && end > span.start) all ^= stamp
    }
    return all
  }
}

type Stamped = Span & { stamp: bigint }

/** Returns the stamps of a site. Call it in the snapshot in which rows are read. */
export async function readStamps(tx: Queryable, siteNo: number): Promise<Stamps> {
  const [found] = await selectStamps(tx, { siteNo })
  const columns = found?.kinds ? found : { kinds: [], starts: [], minutes: [], stamps: [] }
  const firstAt = {
    sessions: found?.firstAt ?? Number.POSITIVE_INFINITY,
    service: found?.firstServiceAt ?? Number.POSITIVE_INFINITY,
    money: found?.firstMoneyAt ?? Number.POSITIVE_INFINITY,
  }
  return new Stamps(columns, firstAt, found?.erasures ?? 0)
}

const findStampStart = query<void, { from: number | null }>(
  'find-stamp-start',
  `select case when isfinite(stamped_from) then (extract(epoch from stamped_from) * 1000)::bigint end as "from"
  from stamp_start`,
)

/** Returns from when on every change has a stamp, Unix milliseconds: processes of the version before set none. */
export async function readStampStart(tx: Queryable): Promise<number> {
  const [start] = await findStampStart(tx)
  return start?.from ?? Number.NEGATIVE_INFINITY
}
