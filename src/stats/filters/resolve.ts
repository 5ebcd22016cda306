import { invalidField } from '../../errors.ts'
import { findGoals } from '../../goals/find-goal.ts'
import type { Services } from '../../infra/services.ts'
import { runTask } from '../../rollups/protocol.ts'
import type { Scope } from './conditions.ts'
import { type Dimension, isHitDimension } from './dimensions.ts'
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
 * looked up among the values that occur, in threads and in linear time; who converted is looked up once.
 * @throws AppError `validation_failed` for a goal that is not the site's, or a pattern that meets too many values
 */
export async function resolveScopes(
  services: Parts,
  siteNo: number,
  query: StatsQuery,
  spans: Span[],
): Promise<Scope[]> {
  const given = filtersOf(query)
  const whole = {
    siteNo,
    start: new Date(Math.min(...spans.map(({ start }) => start.getTime()))),
    end: new Date(Math.max(...spans.map(({ end }) => end.getTime()))),
    filters: { dimensions: [], property: undefined },
    goal: undefined,
  }
  const [filters, targets] = await Promise.all([
    resolveFilters(services, whole, given),
    resolveGoals(services, whole, given.goalIds),
  ])
  return Promise.all(
    spans.map(async ({ start, end }) => {
      const scope = { siteNo, start, end, filters, goal: undefined }
      if (!targets) return scope
      const [converted] = await readKept<{ sessions: number[] }>(
        services.reads,
        'list-converted-sessions',
        scope,
        { targets },
      )
      return { ...scope, goal: { targets, sessions: converted!.sessions } }
    }),
  )
}

async function resolveGoals(services: Parts, whole: Scope, goalIds: string[]) {
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
  return {
    dimensions: await Promise.all(
      dimensions.map(async ({ dimension, condition }) => ({
        dimension,
        condition: await match(services, dimension, condition, () => valuesOf(services, whole, dimension)),
      })),
    ),
    property: property && (await resolveProperty(services, whole, property)),
  }
}

async function resolveProperty(
  services: Parts,
  whole: Scope,
  property: NonNullable<Filters['property']>,
): Promise<NonNullable<Filters['property']>> {
  const keys = await Promise.all(
    property.keys.map(key =>
      match(services, 'prop_key', key, () => list(services, whole, 'list-distinct-property-keys')),
    ),
  )
  const isExact = keys.every(({ operator }) => operator === 'is')
  const asked = { keys: isExact ? keys.flatMap(key => key.values) : [] }
  const values = await Promise.all(
    property.values.map(value =>
      match(services, 'prop_value', value, () =>
        list(services, whole, 'list-distinct-property-values', { asked }),
      ),
    ),
  )
  return { keys, values }
}

/** Values of hits in the span, and of sessions that money belongs to, which may lie long before it. */
async function valuesOf(services: Parts, whole: Scope, value: Dimension): Promise<string[] | undefined> {
  const ofHits = await list(services, whole, 'list-distinct-values', { value })
  if (isHitDimension(value)) return ofHits
  const ofMoney = await list(services, whole, 'list-distinct-money-values', { value })
  return ofHits && ofMoney && [...ofHits, ...ofMoney]
}

/** Most characters of all values that are looked at. */
const MOST_CHARACTERS = 20_000_000

/** @returns undefined when there are too many */
async function list(
  { reads }: Parts,
  whole: Scope,
  statement: string,
  { value, asked = {} }: { value?: Dimension; asked?: Record<string, string[]> } = {},
): Promise<string[] | undefined> {
  const [row] = await readKept<{ characters: number | null; found: string[] | null }>(
    reads,
    statement,
    whole,
    {
      asked: { ...asked, characters: MOST_CHARACTERS },
      ...(value && { value }),
    },
  )
  if (row!.characters === null) return []
  return row!.found ?? undefined
}

const MOST_MATCHES = 1_000_000

/** A condition that needs no patterns: the list of values that fit them. */
async function match(
  { rollups }: Parts,
  field: string,
  condition: Condition,
  occurring: () => Promise<string[] | undefined>,
): Promise<Condition> {
  const { operator } = condition
  if (operator !== 'matches_pattern' && operator !== 'matches_regex') return condition
  const found = await occurring()
  // Also the empty value, which is what money without a session has.
  const values = found && [...new Set([...found, ''])]
  const tests = condition.values.map(value => ({ operator, value }))
  const matches = values && (await runTask(rollups, 'matchValues', { tests, values, most: MOST_MATCHES }))
  if (!values || !matches) {
    throw invalidField(
      field,
      'The pattern meets too many different values in this range: ask for a shorter one',
    )
  }
  return {
    operator: 'is',
    values: [...new Set(matches.flatMap(each => [...each]))].map(index => values[index]!),
  }
}
