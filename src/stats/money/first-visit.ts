import { z } from 'zod'
import { type Dimension, sectionOf } from '../../platform/dimensions/dimensions.ts'
import {
  FIRST_VISIT_DIMENSIONS,
  type FirstVisitDimension,
  isOfFirstVisit,
} from '../../platform/dimensions/first-visit.ts'
import { AppError } from '../../platform/errors.ts'
import { label, timestamp } from '../../platform/schema/fields.ts'
import {
  byDimension,
  type Condition,
  checkConditions,
  conditions,
  isPattern,
} from '../conditions/conditions.ts'
import { requireFilters } from '../filters/granted.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { type Grant, mayShow } from '../sharing/grant.ts'

const filterFields = (() => {
  const all = byDimension((name, texts) => conditions(name).meta(texts))
  return Object.fromEntries(FIRST_VISIT_DIMENSIONS.map(name => [name, all[name]])) as Pick<
    typeof all,
    FirstVisitDimension
  >
})()

/** Filters of reads of customers, on the first visit. They have no range: they are of everything until now. */
export const FirstVisitQuery = z.object(filterFields).superRefine((query, context) => {
  const given = FIRST_VISIT_DIMENSIONS.flatMap(name => query[name] ?? [])
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  checkConditions(given, refuse)
  for (const condition of given.filter(isPattern)) {
    refuse(condition.field.split('.'), 'is not available for customers: name values, or use contains')
  }
})
export type FirstVisitQuery = z.infer<typeof FirstVisitQuery>

/** Parameters of statements that read customers; `filters`: JSON, as `first_visit_passes.sql` reads it. */
export type OfFirstVisit = { siteNo: number; filters: string }

/**
 * Returns the filters of a read of customers with those of the reader's share.
 * @throws AppError `forbidden` for a share whose filters do not apply to first visits; `validation_failed` as `FirstVisitQuery`
 */
export function resolveFirstVisit(
  { grant }: Pick<StatsServices, 'grant'>,
  { siteNo }: StatsSite,
  query: FirstVisitQuery,
): OfFirstVisit {
  const on = (dimension: Dimension, given: Condition[] = []) =>
    given.map(condition => ({ dimension, condition }))
  const own = FIRST_VISIT_DIMENSIONS.flatMap(name => on(name, query[name]))
  requireFilters(grant, { dimensions: own, property: undefined, goalIds: [] })
  const shared = grant?.filters ?? []
  if (shared.some(({ dimension, condition }) => !isOfFirstVisit(dimension) || isPattern(condition))) {
    throw new AppError('forbidden', 'The filters of this share do not apply to customers')
  }
  const filters = [...own, ...shared].map(({ dimension, condition: { operator, values } }) => ({
    dimension,
    operator,
    values,
  }))
  return { siteNo, filters: JSON.stringify(filters) }
}

/** @see docs/metrics.md "First visit" */
export const FirstVisit = z
  .object({
    at: timestamp('When it started.'),
    channel: label('Channel.', 'Organic Search'),
    source: label('Source.', 'Google'),
    referrer: label('Referrer.', 'google.com/'),
    utm_source: label('UTM source.', 'newsletter'),
    utm_medium: label('UTM medium.', 'email'),
    utm_campaign: label('UTM campaign.', 'spring'),
    utm_content: label('UTM content.', 'button'),
    utm_term: label('UTM term.', 'shoes'),
    country: label('Country, ISO 3166-1 alpha-2.', 'DE'),
    entry_path: label('Entry page.', '/pricing'),
  })
  .meta({
    id: 'FirstVisit',
    description: 'First session of the customer; empty texts where it has no value.',
  })
type FirstVisit = z.infer<typeof FirstVisit>

export type FirstVisitRow = Record<FirstVisitDimension, string> & { firstVisitAt: Date | null }

/** Returns the first visit of a row; values of sections that the reader may not see are empty. */
export function presentFirstVisit(row: FirstVisitRow, grant: Grant | null): FirstVisit | null {
  if (row.firstVisitAt === null) return null
  const values = FIRST_VISIT_DIMENSIONS.map(name => [name, mayShow(grant, sectionOf(name)) ? row[name] : ''])
  return {
    at: row.firstVisitAt.toISOString(),
    ...(Object.fromEntries(values) as Record<FirstVisitDimension, string>),
  }
}
