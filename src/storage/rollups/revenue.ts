import type { Db, Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { Movements, MovementTotals, RevenueTotals, SiteMoney, Window } from './protocol.ts'

/** Counts and sums of one segment; sums as decimal text. */
interface RevenueSegment {
  segment: number
  recorded: number
  payments: number
  revenue: string
  recurring: string
  newCustomers: number
}

const readRevenue = query<
  { siteNo: number; start: Date; end: Date; currency: string; edges: Date[] },
  RevenueSegment
>('read-revenue')

// One row for each segment between the edges; segment 0 is everything before the first edge, and :end is the last one. Sums are
// numeric, sent as text.
const sumMovements = query<
  { siteNo: number; currency: string; edges: Date[]; end: Date },
  { segment: number; mrr: string }
>(
  'sum-movements',
  `
  select width_bucket(at, :edges::timestamptz[]) as segment, sum(amount_minor)::text as mrr
  from mrr_movements
  where site_no = :siteNo::int and currency = :currency::text and at < :end::timestamptz
  group by 1`,
)

const findConnected = query<{ siteNo: number }, { isConnected: boolean }>(
  'is-connected',
  // MRR also comes from files (docs/import-money.md), which leave this fact.
  `select
    exists (select 1 from processor_connections where site_no = :siteNo)
    or exists (select 1 from processor_facts where site_no = :siteNo and event_id = 'file') as "isConnected"`,
)

/** Returns the payment totals of each site in each of its windows. */
export function countRevenue(db: Db, sites: SiteMoney[]): Promise<RevenueTotals[][]> {
  return Promise.all(sites.map(site => countOneSite(db, site)))
}

async function countOneSite(db: Queryable, site: SiteMoney): Promise<RevenueTotals[]> {
  const rows = await readSegments(db, site)
  return rows.map(addUp)
}

/** Returns the segments of each window. */
async function readSegments(
  db: Queryable,
  { siteNo, currency, windows }: SiteMoney,
): Promise<RevenueSegment[][]> {
  if (windows.length === 0) return []
  const edges = edgesOf(windows)
  const dates = edges.map(edge => new Date(edge))
  const rows = await readRevenue(db, { siteNo, start: dates[0]!, end: dates.at(-1)!, currency, edges: dates })
  const bySegment = new Map<number, RevenueSegment[]>()
  for (const row of rows) bySegment.set(row.segment, [...(bySegment.get(row.segment) ?? []), row])
  const indexes = new Map(edges.map((edge, index) => [edge, index]))
  return windows.map(({ start, end }) => {
    const found: RevenueSegment[] = []
    // Segment n begins at the n-th edge, counted from 1.
    for (let segment = indexes.get(start)! + 1; segment <= indexes.get(end)!; segment++) {
      found.push(...(bySegment.get(segment) ?? []))
    }
    return found
  })
}

function addUp(rows: readonly RevenueSegment[]): RevenueTotals {
  const totals = { recorded: 0, payments: 0, revenue: 0n, recurring: 0n, newCustomers: 0 }
  for (const row of rows) {
    totals.recorded += row.recorded
    totals.payments += row.payments
    totals.revenue += BigInt(row.revenue)
    totals.recurring += BigInt(row.recurring)
    totals.newCustomers += row.newCustomers
  }
  return totals
}

/** Returns the movements of monthly recurring revenue in each window of a site, and the MRR at the end of each window. */
export async function countMovements(db: Db, site: SiteMoney): Promise<Movements> {
  const { siteNo, currency, windows } = site
  const [connection] = await findConnected(db, { siteNo })
  const { isConnected } = connection!
  if (windows.length === 0) return { isConnected, windows: [] }
  const edges = edgesOf(windows)
  const dates = edges.map(edge => new Date(edge))
  const rows = await sumMovements(db, { siteNo, currency, edges: dates, end: dates.at(-1)! })
  // Sum of all movements before each edge: a window is a difference of two of them.
  const sums = new Map(rows.map(({ segment, mrr }) => [segment, BigInt(mrr)]))
  const before = new Map<number, bigint>()
  let sum = 0n
  for (const [segment, edge] of edges.entries()) {
    sum += sums.get(segment) ?? 0n
    before.set(edge, sum)
  }
  return {
    isConnected,
    windows: windows.map(({ start, end }): MovementTotals => {
      const mrrAtEnd = before.get(end)!
      return { mrr: mrrAtEnd - before.get(start)!, mrrAtEnd }
    }),
  }
}

/** Returns the distinct starts and ends of windows, ascending. */
function edgesOf(windows: Window[]): number[] {
  return [...new Set(windows.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b)
}
