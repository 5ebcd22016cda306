import { type BreakdownDimension, sectionOf } from '../../dimensions/dimensions.ts'
import type { RankedValue } from '../../rollups/protocol.ts'
import type { Amounts, Sort } from '../../rollups/value-order.ts'
import { type Page, windowOf } from '../../schema/pagination.ts'
import { mayShow, requireSection } from '../../sharing/grant.ts'
import type { Comparison } from '../../time/comparison.ts'
import { countConvertingByValue, findConversionTargets } from '../breakdown/converting-visitors.ts'
import { type MoneyKind, sumMoneyByValue } from '../breakdown/money-by-value.ts'
import { type BreakdownQuery, OF_CONVERSIONS } from '../breakdown/query.ts'
import { countGiven, rankPage } from '../breakdown/rank-page.ts'
import { type BreakdownRow, presentRow, type RowParts } from '../breakdown/row.ts'
import { type ConversionTargets, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'

/** The money that a sort needs. */
const MONEY_OF: Partial<Record<Sort, MoneyKind>> = {
  revenue: 'revenue',
  mrr: 'mrr',
  revenue_per_visitor: 'revenue',
}

/** Where the values of one period are counted. */
interface Source {
  services: StatsServices
  site: StatsSite
  dimension: BreakdownDimension
  resolved: ResolvedQuery
  /** With `conversion_goal`. */
  targets: ConversionTargets | undefined
}

/**
 * Returns a page of the values of a dimension; the empty value is `(none)`, as in filters.
 * @throws AppError `forbidden` for a dimension or a sort of a section that the reader may not see; as `resolveContext` and
 * `findConversionTargets`
 */
export async function getBreakdown(
  services: StatsServices,
  site: StatsSite,
  { dimension, search, sort, order, conversion_goal: goalId, ...query }: BreakdownQuery,
): Promise<Page<BreakdownRow> & { comparison: Comparison | undefined }> {
  requireSection(services.grant, sectionOf(dimension))
  if (MONEY_OF[sort]) requireSection(services.grant, 'revenue')
  const { resolved, resolvedBefore, comparison } = await resolveContext(services, site, query)
  const periods = comparison ? [resolved, resolvedBefore] : [resolved]
  // Conversions are counted from rows: visitors have to be those of the same time.
  const counted = goalId ? periods.map(keptPart) : periods
  const targets = goalId ? await findConversionTargets(services, site, goalId, counted) : []
  const [source, before] = counted.map(
    (period, index): Source => ({ services, site, dimension, resolved: period, targets: targets[index] }),
  )
  const subject = { dimension, zone: site.timezone }
  const { rows, total } = await rankPage(services, source!.resolved, subject, {
    sort,
    order: order ?? (sort === 'value' ? 'asc' : 'desc'),
    search,
    ...windowOf(query),
    amounts: await amountsFor(source!, sort),
  })
  const [parts, partsBefore] = await Promise.all([
    withParts(source!, rows),
    before &&
      countGiven(services, before.resolved, subject, valuesOf(rows)).then(found => withParts(before, found)),
  ])
  return {
    rows: parts.map((part, index) => presentRow(dimension, part, partsBefore?.[index])),
    total,
    comparison,
  }
}

const valuesOf = (rows: RankedValue[]) => rows.map(({ value }) => value)

/** Returns the numbers of all values that a sort needs and the counts of a value do not have. */
async function amountsFor(source: Source, sort: Sort): Promise<Amounts | undefined> {
  const { services, site, dimension, resolved, targets } = source
  const kind = MONEY_OF[sort]
  if (kind) {
    const money = await sumMoneyByValue(services, site, resolved, dimension, undefined, [kind])
    return listed(money[kind])
  }
  if (!OF_CONVERSIONS.has(sort)) return undefined
  const converting = await countConvertingByValue(services, site, resolved, targets!, dimension, undefined)
  return listed(new Map([...converting].map(([value, visitors]) => [value, BigInt(visitors)])))
}

const listed = (amounts: Map<string, bigint>): Amounts => ({
  values: [...amounts.keys()],
  amounts: [...amounts.values()],
})

/** Adds money and conversions to the counts of values. */
async function withParts(source: Source, rows: RankedValue[]): Promise<RowParts[]> {
  const { services, site, dimension, resolved, targets } = source
  const values = valuesOf(rows)
  const [money, converting] = await Promise.all([
    mayShow(services.grant, 'revenue')
      ? sumMoneyByValue(services, site, resolved, dimension, values)
      : undefined,
    targets && countConvertingByValue(services, site, resolved, targets, dimension, values),
  ])
  return rows.map(counts => ({
    counts,
    money: money && {
      revenue: money.revenue.get(counts.value) ?? 0n,
      mrr: money.mrr.get(counts.value) ?? 0n,
    },
    converting: converting && (converting.get(counts.value) ?? 0),
  }))
}
