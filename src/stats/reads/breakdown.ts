import { type BreakdownDimension, sectionOf } from '../../platform/dimensions/dimensions.ts'
import { MOST_ROWS } from '../../platform/schema/download.ts'
import { type Page, windowOf } from '../../platform/schema/pagination.ts'
import type { Comparison } from '../../platform/time/comparison.ts'
import type { Amounts, Sort } from '../../storage/rollups/value-order.ts'
import { type BreakdownQuery, OF_CONVERSIONS } from '../breakdown/breakdown-query.ts'
import { countConvertingByValue, findConversionGoal } from '../breakdown/converting-visitors.ts'
import { countGiven, rankPage, type Subject } from '../breakdown/rank-page.ts'
import { type BreakdownRow, presentRow, type RowParts } from '../breakdown/row.ts'
import { type MoneyKind, sumMoneyByValue } from '../breakdown/sum-money.ts'
import type { ValuePageAsked } from '../counts/value-pages.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { GoalRecord } from '../goals/goal-schema.ts'
import {
  type ImportedValues,
  rankTogether,
  readImportedValues,
  type ValueTogether,
} from '../imported/by-value.ts'
import { findFamilies, withImportedStart } from '../imported/families.ts'
import type { Imported } from '../imported/imported-answer.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { mayShow, requireSection } from '../sharing/grant.ts'

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
  goal: GoalRecord | undefined
}

/**
 * Returns a page of the values of a dimension; the empty value is `(none)`, as in filters.
 * @throws AppError `forbidden` for a dimension or a sort of a section that the reader may not see; as `resolveContext`,
 * `findConversionGoal` and `countAsked`
 */
export async function getBreakdown(
  services: StatsServices,
  site: StatsSite,
  { dimension, search, sort, order, conversion_goal: goalId, ...query }: BreakdownQuery,
): Promise<Page<BreakdownRow> & { comparison: Comparison | undefined; imported: Imported | undefined }> {
  requireSection(services.grant, sectionOf(dimension))
  if (MONEY_OF[sort]) requireSection(services.grant, 'revenue')
  const families = query.imported ? await findFamilies(services.reads, site) : undefined
  const { range, rangeBefore, filters, resolved, resolvedBefore, comparison } = await resolveContext(
    services,
    families ? withImportedStart(site, families) : site,
    query,
  )
  const hasConversions = goalId !== undefined
  const imported =
    families &&
    (await Promise.all(
      (comparison ? [range, rangeBefore] : [range]).map(period =>
        readImportedValues(services, site, families, {
          range: period,
          ...{ filters, dimension, sort, hasConversions },
        }),
      ),
    ))
  const periods = comparison ? [resolved, resolvedBefore] : [resolved]
  // Conversions need details: visitors have to be those of the same time.
  const counted = goalId ? periods.map(keptPart) : periods
  const goal = goalId ? await findConversionGoal(services, site, goalId) : undefined
  const [source, before] = counted.map((resolved): Source => ({ services, site, dimension, resolved, goal }))
  const subject = { dimension, zone: site.timezone }
  const { rows, total } = await rankWith(imported?.[0], services, source!.resolved, subject, {
    sort,
    order: order ?? (sort === 'value' ? 'asc' : 'desc'),
    search,
    ...windowOf(query),
    amounts: await amountsFor(source!, sort),
  })
  const values = rows.map(({ counts }) => counts.value)
  const [parts, partsBefore] = await Promise.all([
    withParts(source!, rows),
    before &&
      countGiven(services, before.resolved, subject, values).then(found =>
        withParts(
          before,
          found.map(counts => ({ counts, imported: imported?.[1]?.byValue.get(counts.value) })),
        ),
      ),
  ])
  return {
    rows: parts.map((part, index) => presentRow(dimension, part, partsBefore?.[index])),
    total,
    comparison,
    imported: imported && {
      ...imported[0]!.note,
      ...(imported[1] && { previous: imported[1].note }),
    },
  }
}

/** Ranks own values; with imported ones, all own values are ranked together with them. */
async function rankWith(
  imported: ImportedValues | undefined,
  services: StatsServices,
  resolved: ResolvedQuery,
  subject: Subject,
  options: ValuePageAsked,
): Promise<Page<ValueTogether>> {
  if (!imported || imported.byValue.size === 0) {
    const { rows, total } = await rankPage(services, resolved, subject, options)
    return { rows: rows.map(counts => ({ counts, imported: undefined })), total }
  }
  const all = await rankPage(services, resolved, subject, { ...options, limit: MOST_ROWS + 1, offset: 0 })
  return rankTogether(all.rows, imported.byValue, options)
}

/** Returns the numbers of all values that a sort needs and the counts of a value do not have. */
async function amountsFor(source: Source, sort: Sort): Promise<Amounts | undefined> {
  const { services, site, dimension, resolved, goal } = source
  const kind = MONEY_OF[sort]
  if (kind) {
    const money = await sumMoneyByValue(services, site, resolved, dimension, [kind])
    return listed(money[kind])
  }
  if (!OF_CONVERSIONS.has(sort)) return undefined
  const converting = await countConvertingByValue(services, site, resolved, goal!, dimension)
  return listed(new Map([...converting].map(([value, visitors]) => [value, BigInt(visitors)])))
}

const listed = (amounts: Map<string, bigint>): Amounts => ({
  values: [...amounts.keys()],
  amounts: [...amounts.values()],
})

/** Adds money and conversions to the counts of values. */
async function withParts(source: Source, rows: ValueTogether[]): Promise<RowParts[]> {
  const { services, site, dimension, resolved, goal } = source
  if (rows.length === 0) return []
  const [money, converting] = await Promise.all([
    mayShow(services.grant, 'revenue') ? sumMoneyByValue(services, site, resolved, dimension) : undefined,
    goal && countConvertingByValue(services, site, resolved, goal, dimension),
  ])
  return rows.map(({ counts, imported }) => ({
    counts,
    imported,
    money: money && {
      revenue: money.revenue.get(counts.value) ?? 0n,
      mrr: money.mrr.get(counts.value) ?? 0n,
    },
    converting: converting && (converting.get(counts.value) ?? 0),
  }))
}
