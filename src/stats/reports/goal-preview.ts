import { z } from 'zod'
import { invalidField } from '../../errors.ts'
import { definitionOf, forSite } from '../../goals/definition.ts'
import { findGoals } from '../../goals/find-goal.ts'
import { isReserved, requireCurrencyOf, requireOwnName } from '../../goals/goal-rules.ts'
import { targetOf } from '../../goals/matching.ts'
import { GoalBody, type GoalDefinition } from '../../goals/schema.ts'
import { count, label } from '../../schema/fields.ts'
import { jsonParameter } from '../../schema/json-parameter.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import { StatsQuery } from '../filters/query.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { mostConverted, rankMatched } from '../metrics/conversions.ts'
import { countTraffic } from '../metrics/traffic.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { findTargets, GoalRefused } from '../resolve/targets.ts'
import { countGoalsInRows, GoalRow, rowOf } from './goals.ts'

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
  const record = recordOf(goal)
  const refuse = (error: unknown): never => {
    throw error instanceof GoalRefused ? definitionRefused(error) : error
  }
  const [{ counted }, [all]] = await Promise.all([
    countGoalsInRows(services, site, resolved, [record]).catch(refuse),
    countTraffic(services, resolved, [resolved]),
  ])
  const { id: _, display_name: __, ...counts } = rowOf(services, record, counted[0]!, all!.visitors)
  const matched = await countFiltered(services, resolved, 'matched', { target: targetOf(record) })
  const { values, total } = matched
    ? { values: mostConverted(matched).slice(0, MOST_EXAMPLES), total: matched.length }
    : await rankMatched(
        services,
        resolved,
        await findTargets(services, { ...resolved, teamId: site.teamId }, [record]).catch(refuse),
        MOST_EXAMPLES,
      )
  return {
    ...counts,
    values: total,
    examples: values.map(({ value, conversions }) => ({ value: value || '(none)', conversions })),
  }
}

const recordOf = (goal: GoalDefinition) => ({ ...goal, id: 'preview', createdAt: new Date(0) })

const definitionRefused = ({ reason }: GoalRefused) =>
  invalidField(
    'definition.match_value',
    reason ??
      'is too slow to look for among the values of this range: ask for a shorter range, or use a simpler pattern',
  )
