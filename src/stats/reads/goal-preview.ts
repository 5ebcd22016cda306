import { z } from 'zod'
import { count, label } from '../../platform/schema/fields.ts'
import { jsonParameter } from '../../platform/schema/json-parameter.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { definitionOf, forSite } from '../goals/definition.ts'
import { findGoals } from '../goals/find-goal.ts'
import { isReserved, requireCurrencyOf, requireOwnName } from '../goals/goal-rules.ts'
import { GoalBody } from '../goals/goal-schema.ts'
import { targetOf } from '../goals/goal-target.ts'
import { countTraffic } from '../metrics/traffic-metrics.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { GoalRow, presentCounts } from './goal-report.ts'

/** Longest text of a definition: the longest values, written with escapes. */
const LONGEST_DEFINITION = 60_000
const MOST_EXAMPLES = 10

/** A read of a goal that the request defines. */
export const GoalPreviewQuery = StatsQuery.safeExtend({
  definition: jsonParameter(GoalBody, {
    whole: 'with all fields in one object',
    what: 'the definition of a goal',
    longest: LONGEST_DEFINITION,
  }).meta({
    description: 'What `POST /api/sites/{siteKey}/goals` takes, as JSON. `display_name` is not looked at.',
    openapi: {
      schema: { type: 'string', contentMediaType: 'application/json' },
      example: JSON.stringify({ match_type: 'page', match_value: '/docs/*' }),
    },
  }),
})
export type GoalPreviewQuery = z.infer<typeof GoalPreviewQuery>

/** @see docs/metrics.md "Goal preview" */
export const GoalPreview = GoalRow.omit({ id: true, display_name: true })
  .extend({
    values: count('How many paths, names or selectors were converted.', 3),
    examples: z
      .array(
        z.object({
          value: label('Path, event name or selector; `(none)` for the empty one.', '/docs/install'),
          conversions: count('How often it was met by it.', 4),
        }),
      )
      .meta({ description: `The ${MOST_EXAMPLES} of them with the most conversions.` }),
  })
  .meta({ id: 'GoalPreview' })
export type GoalPreview = z.infer<typeof GoalPreview>

/**
 * Returns what the goal report would say of a goal with this definition, and which values it matches.
 * @throws AppError `validation_failed` for a definition that the site cannot have, and one that is invalid or too costly to look for
 */
export async function previewGoal(
  services: StatsServices,
  site: StatsSite & { domain: string },
  { definition, ...query }: GoalPreviewQuery,
): Promise<GoalPreview> {
  const goal = definitionOf(forSite(definition, site, 'definition.match_value'))
  // A goal of the site may keep its reserved name when it is changed.
  if (isReserved(goal)) {
    const goals = await findGoals(services.reads, site.siteNo, null)
    requireOwnName(goal, goals, 'definition.match_value')
  }
  requireCurrencyOf(site, goal, 'definition.currency')
  const { resolved: whole } = await resolveContext(services, site, query)
  const resolved = keptPart(whole)
  const target = { ...targetOf(goal), field: 'definition.match_value' }
  const [[counts], matched, [all]] = await Promise.all([
    countAsked(services, resolved, 'goals', { targets: [target], currencies: [goal.currency ?? ''] }),
    countAsked(services, resolved, 'matched', { target }),
    countTraffic(services, resolved, [resolved]),
  ])
  const mostConverted = matched.sort(
    (a, b) => b.conversions - a.conversions || compareTexts(a.value, b.value),
  )
  return {
    ...presentCounts(services, goal, counts!, all!.visitors),
    values: matched.length,
    examples: mostConverted
      .slice(0, MOST_EXAMPLES)
      .map(({ value, conversions }) => ({ value: value || '(none)', conversions })),
  }
}
