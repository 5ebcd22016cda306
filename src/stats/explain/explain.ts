import { sectionOf } from '../../platform/dimensions/dimensions.ts'
import { formatInstant } from '../../platform/time/local-time.ts'
import { seriesBuckets, toWindow } from '../../platform/time/range.ts'
import { findConversionGoal } from '../breakdown/converting-visitors.ts'
import type { OfValue } from '../counts/shared/of-value.ts'
import { goalOf, type ResolvedQuery } from '../filters/resolved-query.ts'
import { targetOf } from '../goals/goal-target.ts'
import { readMoney } from '../metrics/money-totals.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { mayShow, requireSection } from '../sharing/grant.ts'
import { type ExplainQuery, READS, type Read, readOf } from './explain-query.ts'
import type { Explanation, TermName } from './explanation.ts'
import type { ExplanationAnswer } from './explanation-answer.ts'
import { CONVERSION_OF_GOAL } from './of-overview.ts'
import { cutTo, type Explained, partsOf } from './parts.ts'
import { bucketIn, partsWanted, resolvePeriod } from './period.ts'
import { anchorOf, numberOf, presentTerms } from './present-terms.ts'
import { readCursor } from './rows/cursor.ts'
import { type RowServices, readRows } from './rows/read-rows.ts'
import { readTerms } from './terms.ts'

/**
 * Returns a number of a read with the rule, the parts that it was added up from, and a page of the rows behind it.
 * @throws AppError `forbidden` for a number of a section that the reader may not see; as the read itself
 * @see docs/metrics.md "Where a number comes from"
 */
export async function explain(
  services: RowServices,
  site: StatsSite,
  query: ExplainQuery,
): Promise<ExplanationAnswer> {
  const { metric, conversion_goal: goalId, cursor, limit } = query
  const read = readOf(query)
  const of = askedValue(site, query)
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const explanations: Record<string, Explanation> = READS[read]
  const ofGoal = read === 'overview' && metric === 'conversion_rate' && (query.goal ?? []).length > 0
  const explanation = ofGoal ? CONVERSION_OF_GOAL : explanations[metric]!
  requireRead(services, read, explanation, of)

  const { range, resolved, other } = await resolvePeriod(services, site, query)
  const goal = goalId === undefined ? undefined : await findConversionGoal(services, site, goalId)
  const parts =
    read === 'movements' ? seriesBuckets(range) : partsOf(range, resolved, partsWanted(read, query, resolved))
  const targets = goal ? [targetOf(goal)] : (goalOf(resolved) ?? [])
  const explained: Explained = { services, site, range, resolved, parts, of, targets }
  const found = await readTerms(explained, explanation.terms)
  const index = query.bucket === undefined ? undefined : bucketIn(parts, query.bucket)
  const bucket = index === undefined ? undefined : parts[index]
  const terms =
    index === undefined ? found : new Map([...found].map(([name, term]) => [name, cutTo(term, index)]))
  const span = bucket ?? range
  const isShown =
    read !== 'overview' || ofGoal || (await isPresent(services, site, explanation, [resolved, other]))
  const shown = bucket ? [bucket] : parts
  const detailsFrom = site.detailsFrom ?? null
  return {
    read,
    metric,
    ...numberOf(explanation, terms, range, isShown),
    rule: {
      name: explanation.heading,
      text: explanation.rule,
      definition: `docs/metrics.md#${anchorOf(explanation.heading)}`,
      formula: explanation.formula,
    },
    range: {
      start: span.start.toISOString(),
      end: span.end.toISOString(),
      local_start: formatInstant(site.timezone, span.start.getTime()),
      local_end: formatInstant(site.timezone, span.end.getTime()),
      timezone: site.timezone,
      days: range.days,
    },
    ...presentTerms(
      terms,
      shown.map(({ label }) => label),
    ),
    details_from: detailsFrom && range.start < detailsFrom ? detailsFrom.toISOString() : null,
    rows: mayShow(services.grant, 'people')
      ? await readRows(services, explanation.rows, {
          ...explained,
          terms: explanation.terms,
          span: bucket ?? resolved,
          after,
          limit,
          seesPayments: services.seesPayments ?? false,
          detailsFrom,
        })
      : null,
  }
}

const askedValue = ({ timezone }: StatsSite, { dimension, value }: ExplainQuery): OfValue =>
  dimension === undefined || value === undefined
    ? {}
    : { dimension, value: value === '(none)' ? '' : value, zone: timezone }

const MONEY_ROWS: ReadonlySet<string> = new Set(['payment', 'movement', 'subscription', 'customer', 'change'])
const isMoney = ({ rows }: Explanation) => MONEY_ROWS.has(rows)

/** Checks the sections that the read itself needs. */
function requireRead(
  { grant }: StatsServices,
  read: Read,
  explanation: Explanation,
  { dimension }: OfValue,
): void {
  if (read === 'overview') requireSection(grant, 'traffic')
  if (dimension !== undefined) requireSection(grant, sectionOf(dimension))
  if (isMoney(explanation)) requireSection(grant, 'revenue')
}

/** Whether the overview has the field: it leaves out money that a site does not have. */
async function isPresent(
  services: StatsServices,
  site: StatsSite,
  explanation: Explanation,
  periods: ResolvedQuery[],
): Promise<boolean> {
  if (!isMoney(explanation)) return true
  const money = await readMoney(services.rollups, site, periods.map(toWindow))
  const ofPayments: readonly TermName[] = ['revenue', 'recurring_revenue', 'payments']
  return explanation.terms.some(term => ofPayments.includes(term))
    ? money.periods.some(({ revenue }) => revenue.recorded > 0)
    : money.isConnected
}
