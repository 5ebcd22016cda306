import { query } from '../../db/query.ts'
import { type BreakdownDimension, columnOf, isHitDimension } from '../../dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../dimensions/registry.ts'
import { boundsOf } from '../../time/range.ts'
import { isKept, type MoneyKind } from '../breakdown/money-by-value.ts'
import { isUnfiltered, keptPart } from '../filters/resolved-query.ts'
import { hasManyPayments } from '../metrics/money.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { sumColumn, type Term } from './parts.ts'
import type { Explained } from './source.ts'
import type { Subject } from './value-traffic.ts'

/** Sums of one part of the range, as text. */
interface AmountRow {
  bucket: number
  amount: string
}
type Params = { currency: string; bounds: Date[] }

const RELATION_OF = { revenue: 'filtered_payments', mrr: 'movements_in_range' } as const
const AMOUNT_OF = { revenue: 'amount_minor - refunded_minor', mrr: 'amount_minor' } as const
/** Money of sessions that have a filtered hit with the value. */
const OF_HITS = 'and session_no in (select session_no from filtered_hits where not is_service)'

const byPart = (kind: MoneyKind, condition: string) =>
  `select width_bucket(at, (select bounds from params)) - 1 as bucket, sum(${AMOUNT_OF[kind]})::text as amount
  from ${RELATION_OF[kind]}
  where currency = (select currency from params) ${condition}
  group by 1`

const explainRevenueOfSessions = filteredQuery<Params, AmountRow>(
  'explain-revenue-of-sessions',
  ['filtered_payments'],
  byPart('revenue', ''),
)
const explainRevenueOfHits = filteredQuery<Params, AmountRow>(
  'explain-revenue-of-hits',
  ['filtered_payments', 'filtered_hits'],
  byPart('revenue', OF_HITS),
)
const explainMrrOfSessions = filteredQuery<Params, AmountRow>(
  'explain-mrr-of-sessions',
  ['movements_in_range'],
  byPart('mrr', ''),
)
const explainMrrOfHits = filteredQuery<Params, AmountRow>(
  'explain-mrr-of-hits',
  ['movements_in_range', 'filtered_hits'],
  byPart('mrr', OF_HITS),
)

interface KeptParams {
  siteNo: number
  start: Date
  end: Date
  currency: string
  column: string
  value: string
  bounds: Date[]
}
const explainKeptRevenue = query<KeptParams, AmountRow>(
  'explain-kept-revenue',
  `select width_bucket(money.at, :bounds::timestamptz[]) - 1 as bucket, sum(amount_minor - refunded_minor)::text as amount
  from revenue as money
  left join money_sessions
    on money_sessions.site_no = :siteNo::int and money_sessions.session_no = money.session_no
  where money.site_no = :siteNo::int and money.currency = :currency::text
    and money.at >= :start::timestamptz and money.at < :end::timestamptz
    and coalesce(money_sessions.session ->> :column::text, '') = :value::text
  group by 1`,
)
const explainKeptMrr = query<KeptParams, AmountRow>(
  'explain-kept-mrr',
  `select width_bucket(money.at, :bounds::timestamptz[]) - 1 as bucket, sum(amount_minor)::text as amount
  from mrr_movements as money
  left join money_sessions
    on money_sessions.site_no = :siteNo::int and money_sessions.session_no = money.session_no
  where money.site_no = :siteNo::int and money.currency = :currency::text
    and money.at >= :start::timestamptz and money.at < :end::timestamptz
    and coalesce(money_sessions.session ->> :column::text, '') = :value::text
  group by 1`,
)

const STATEMENTS = {
  revenue: { ofSessions: explainRevenueOfSessions, ofHits: explainRevenueOfHits, kept: explainKeptRevenue },
  mrr: { ofSessions: explainMrrOfSessions, ofHits: explainMrrOfHits, kept: explainKeptMrr },
}

/** The column of kept sessions that has the dimension; undefined where the sessions themselves are read. */
export function keptColumn(
  resolved: Explained['resolved'],
  dimension: BreakdownDimension,
): string | undefined {
  if (dimension === HOUR_OF_WEEK || !isKept(dimension) || !isUnfiltered(resolved)) return undefined
  return columnOf(dimension)
}

/** Returns what the money of a row of a breakdown consists of: since the site has details. */
export async function explainValueMoney(
  { services, site, resolved, parts }: Explained,
  { dimension, value }: Subject,
  kind: MoneyKind,
): Promise<Term> {
  const { siteNo, start, end } = keptPart(resolved)
  const { currency, timezone: zone } = site
  const bounds = boundsOf(parts)
  const column = keptColumn(resolved, dimension)
  const { ofHits, ofSessions, kept } = STATEMENTS[kind]
  if (parts.length === 0) return sumColumn([], 0, () => 0)
  const isMuch = await hasManyPayments(services, resolved)
  const options = {
    params: { currency, bounds },
    value: dimension,
    values: [value],
    zone,
    hasManyPayments: isMuch,
    hasManyMovements: isMuch,
  }
  const rows = column
    ? await kept(services.reads, { siteNo, start, end, currency, column, value, bounds })
    : await (isHitDimension(dimension) ? ofHits : ofSessions)(services.reads, resolved, options)
  return sumColumn(rows, parts.length, row => BigInt(row.amount))
}
