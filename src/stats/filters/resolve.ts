import { invalidField } from '../../errors.ts'
import { findGoals } from '../../goals/find-goal.ts'
import type { Services } from '../../infra/services.ts'
import { runTask } from '../../rollups/protocol.ts'
import type { Scope } from './conditions.ts'
import type { Dimension } from './dimensions.ts'
import { type Condition, type Filters, filtersOf, type StatsQuery } from './query.ts'
import { readKept } from './rows.ts'
import { findTargets } from './targets.ts'

type Parts = Pick<Services, 'reads' | 'rollups'>

/** Half-open. */
interface Span {
  start: Date
  end: Date
}

/**
 * What a query keeps of a site, for each of several spans that lie together. Wildcards and regular expressions are
 * looked up among the values that occur, in threads and in linear time.
 * @throws AppError `validation_failed` for a goal that is not the site's
 */
export async function resolveScopes(
  services: Parts,
  siteNo: number,
  query: StatsQuery,
  spans: Span[],
): Promise<Scope[]> {
  const filters = filtersOf(query)
  const whole = {
    siteNo,
    start: new Date(Math.min(...spans.map(({ start }) => start.getTime()))),
    end: new Date(Math.max(...spans.map(({ end }) => end.getTime()))),
    filters: { dimensions: [], property: undefined },
    goal: undefined,
  }
  const [resolved, goal] = await Promise.all([
    resolveFilters(services, whole, filters),
    resolveGoals(services, whole, filters.goalIds),
  ])
  return spans.map(({ start, end }) => ({ siteNo, start, end, filters: resolved, goal }))
}

async function resolveGoals(services: Parts, whole: Scope, goalIds: string[]): Promise<Scope['goal']> {
  if (goalIds.length === 0) return undefined
  const goals = await findGoals(services.reads, whole.siteNo, goalIds)
  if (goals.length < new Set(goalIds.map(id => id.toLowerCase())).size) {
    throw invalidField('goal', 'must be the id of a goal of the site')
  }
  return findTargets(services, whole, goals)
}

async function resolveFilters(
  services: Parts,
  whole: Scope,
  { dimensions, property }: Filters,
): Promise<Scope['filters']> {
  const resolve = (field: string, condition: Condition, statement: string, value?: Dimension) =>
    resolveCondition(services, whole, { field, condition }, statement, value)
  return {
    dimensions: await Promise.all(
      dimensions.map(async ({ dimension, condition }) => ({
        dimension,
        condition: await resolve(dimension, condition, 'list-distinct-values', dimension),
      })),
    ),
    property: property && {
      keys: await Promise.all(
        property.keys.map(key => resolve('prop_key', key, 'list-distinct-property-keys')),
      ),
      values: await Promise.all(
        property.values.map(value => resolve('prop_value', value, 'list-distinct-property-values')),
      ),
    },
  }
}

/** Most values one pattern may match: the list goes back into a statement. */
const MOST_MATCHES = 1_000_000

async function resolveCondition(
  { reads, rollups }: Parts,
  whole: Scope,
  { field, condition }: { field: string; condition: Condition },
  statement: string,
  value: Dimension | undefined,
): Promise<Condition> {
  const { operator, values } = condition
  if (operator !== 'matches_pattern' && operator !== 'matches_regex') return condition
  const rows = await readKept<{ value: string }>(reads, statement, whole, value ? { value } : {})
  // Money without a session has the empty value, whatever hits have.
  const found = [...new Set([...rows.map(row => row.value), ''])]
  const tests = values.map(pattern => ({ operator, value: pattern }))
  const matches = await runTask(rollups, 'matchValues', { tests, values: found })
  const wanted = [...new Set(matches.flat())].map(index => found[index]!)
  if (wanted.length > MOST_MATCHES) throw invalidField(field, 'The pattern matches too many values')
  return { operator: 'is', values: wanted }
}
