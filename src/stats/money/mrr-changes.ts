import { query } from '../../platform/db/query.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { Subscribed } from '../counts/mrr.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import type { Period } from '../metrics/money-metrics.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'

/** docs/metrics.md "MRR change of a customer" */
export const CHANGE_KINDS = ['new', 'expansion', 'contraction', 'churn', 'reactivation'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** Changes of a bucket, and what there is at its end. Amounts are minor units. */
export interface MrrBucket {
  amounts: Record<ChangeKind, bigint>
  /** Number of changes. */
  changes: Record<ChangeKind, number>
  mrrBefore: bigint
  mrrAfter: bigint
  /** Who has MRR at the end. */
  after: Subscribed
}

export interface PeriodOfMrr {
  buckets: MrrBucket[]
  atStart: Subscribed
  atEnd: Subscribed
}

/** Segment n begins at the n-th edge, counted from 1; 0: before the first. Sums are numeric, sent as text. */
interface Segment {
  segment: number
  kind: ChangeKind | null
  amount: string
  changes: number
  subscriptions: number
}

const sumMrrChanges = query<{ siteNo: number; currency: string; edges: Date[] }, Segment>(
  'sum-mrr-changes',
  `select
    width_bucket(at, :edges::timestamptz[]) as segment,
    kind,
    sum(amount_minor)::text as amount,
    count(*) as changes,
    sum(subscriptions) as subscriptions
  from mrr_changes
  where site_no = :siteNo::int and currency = :currency::text
  group by 1, 2`,
)

/** Returns the MRR changes of each bucket of all periods, and of all time until now. */
export async function countMrrChanges(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  site: StatsSite,
  periods: Period[],
): Promise<{ now: Subscribed & { mrr: bigint }; periods: PeriodOfMrr[] }> {
  const edges = [
    ...new Set(
      periods.flatMap(({ resolved, buckets }) =>
        [resolved, ...buckets].flatMap(({ start, end }) => [start.getTime(), end.getTime()]),
      ),
    ),
  ].sort((a, b) => a - b)
  const { siteNo, currency } = site
  const rows = await sumMrrChanges(services.reads, {
    siteNo,
    currency,
    edges: edges.map(edge => new Date(edge)),
  })
  const segments: Segment[][] = Array.from({ length: edges.length + 1 }, () => [])
  for (const row of rows) segments[row.segment]!.push(row)
  const after = new Map(edges.map((edge, index) => [edge, index + 1]))
  const between = (from: number, to: number) =>
    totalOf(segments.slice(after.get(from) ?? 0, after.get(to)).flat())
  const now = between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  return {
    now: { mrr: now.mrr, ...subscribed(now) },
    periods: await Promise.all(
      periods.map(period =>
        sourceOf('mrr', period.resolved) === 'ledger'
          ? unfiltered(period, between)
          : filtered(services, site, period),
      ),
    ),
  }
}

type Totals = ReturnType<typeof totalOf>

function totalOf(rows: (Omit<Segment, 'segment' | 'amount'> & { amount: string | bigint })[]) {
  const amounts = noAmounts()
  const changes = noChanges()
  let mrr = 0n
  let subscriptions = 0
  for (const row of rows) {
    mrr += BigInt(row.amount)
    subscriptions += row.subscriptions
    if (row.kind === null) continue
    amounts[row.kind] += BigInt(row.amount)
    changes[row.kind] += row.changes
  }
  return { amounts, changes, mrr, subscriptions }
}

const noAmounts = () => Object.fromEntries(CHANGE_KINDS.map(kind => [kind, 0n])) as Record<ChangeKind, bigint>
const noChanges = () => Object.fromEntries(CHANGE_KINDS.map(kind => [kind, 0])) as Record<ChangeKind, number>

const subscribed = ({ changes, subscriptions }: Totals): Subscribed => ({
  customers: changes.new + changes.reactivation - changes.churn,
  subscriptions,
})

function unfiltered(
  { resolved, buckets }: Period,
  between: (from: number, to: number) => Totals,
): PeriodOfMrr {
  const { start, end } = resolved
  const before = between(Number.NEGATIVE_INFINITY, start.getTime())
  const totals = buckets.map(bucket => between(bucket.start.getTime(), bucket.end.getTime()))
  const atStart = subscribed(before)
  const running = { ...atStart }
  const after = totals.map(subscribed).map(more => {
    running.customers += more.customers
    running.subscriptions += more.subscriptions
    return { ...running }
  })
  return {
    buckets: runningBuckets(before.mrr, totals, after),
    atStart,
    atEnd: subscribed(between(Number.NEGATIVE_INFINITY, end.getTime())),
  }
}

async function filtered(
  services: Pick<StatsServices, 'counter'>,
  { currency }: StatsSite,
  { resolved, buckets }: Period,
): Promise<PeriodOfMrr> {
  const times = [resolved.start, resolved.end, ...buckets.map(({ end }) => end)].map(at => at.getTime())
  const asked = { currency, bounds: edgesOf(buckets), times }
  const { kinds, subscribed } = await countAsked(services, resolved, 'mrr', asked)
  const [atStart, atEnd, ...after] = subscribed
  const inBucket = (index: number) =>
    totalOf(kinds.filter(({ bucket }) => bucket === index).map(row => ({ ...row, subscriptions: 0 })))
  return {
    buckets: runningBuckets(
      inBucket(-1).mrr,
      buckets.map((_, index) => inBucket(index)),
      after,
    ),
    atStart: atStart!,
    atEnd: atEnd!,
  }
}

function runningBuckets(before: bigint, totals: Totals[], after: Subscribed[]): MrrBucket[] {
  let mrr = before
  return totals.map(({ amounts, changes, mrr: change }, index) => {
    const mrrBefore = mrr
    mrr += change
    return { amounts, changes, mrrBefore, mrrAfter: mrr, after: after[index]! }
  })
}
