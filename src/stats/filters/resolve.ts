import { type AppError, invalidField } from '../../errors.ts'
import { findGoals } from '../../goals/find-goal.ts'
import type { Services } from '../../infra/services.ts'
import { PatternWork, type Refusal } from '../../rollups/patterns/match.ts'
import { type Dimension, isHitDimension } from './dimensions.ts'
import { type Condition, type Filters, filtersOf, type StatsQuery, shortened } from './query.ts'
import { readFiltered } from './rows.ts'
import type { Scope } from './scope.ts'
import { readSlices } from './slices.ts'
import { lookUpTargets } from './targets.ts'
import { recentSizes } from './value-sizes.ts'

type Parts = Pick<Services, 'reads' | 'rollups' | 'slices' | 'patterns' | 'now'> & {
  signal?: AbortSignal | undefined
}

/** The same, with the remaining budget for pattern work. */
type Looking = Parts & { work: PatternWork }

/** Half-open. */
interface Span {
  start: Date
  end: Date
}

/**
 * Returns the resolved query of a site for each of several adjacent time spans. Threads match wildcards and regular expressions
 * with the values that occur, in linear time; conversion targets are looked up once for all spans.
 * @throws AppError `validation_failed` for a goal of another site, and for a pattern that is invalid, matches too many values
 * or is too costly; `unavailable` when too many requests of the team wait, or `signal` aborts
 */
export async function resolveScopes(
  services: Parts,
  { siteNo, teamId }: { siteNo: number; teamId: string },
  query: StatsQuery,
  spans: Span[],
): Promise<Scope[]> {
  const given = filtersOf(query)
  const { patterns, signal } = services
  const whole = {
    siteNo,
    start: new Date(Math.min(...spans.map(({ start }) => start.getTime()))),
    end: new Date(Math.max(...spans.map(({ end }) => end.getTime()))),
    filters: { dimensions: [], property: undefined },
    goal: undefined,
  }
  const resolve = async () => {
    const looking = { ...services, work: new PatternWork(patterns, signal) }
    return {
      filters: await resolveFilters(looking, whole, given),
      targets: await resolveGoals(looking, whole, given.goalIds),
    }
  }
  const isSlow = given.goalIds.length > 0 || patternsOf(given).length > 0
  // Enter the pool before values are read: it limits many such requests to two at a time in the database.
  const { filters, targets } = await (isSlow ? patterns.enter(teamId, signal, resolve) : resolve())
  return Promise.all(
    spans.map(async ({ start, end }) => {
      const scope = { siteNo, start, end, filters, goal: undefined }
      if (!targets) return scope
      const converted = await readSlices<{ sessions: number[] }>(services, 'list-converted-sessions', scope, {
        targets,
      })
      return { ...scope, goal: { targets, sessions: converted.flatMap(({ sessions }) => sessions) } }
    }),
  )
}

/**
 * Checks the patterns of filters that are accepted but not applied.
 * @throws AppError `validation_failed` for an invalid pattern
 */
export async function checkPatterns(
  { patterns, signal }: Pick<Parts, 'patterns' | 'signal'>,
  { teamId }: { teamId: string },
  query: Partial<StatsQuery>,
): Promise<void> {
  const given = patternsOf(filtersOf(query))
  if (given.length === 0) return
  await patterns.enter(teamId, signal, async () => {
    const refusal = await new PatternWork(patterns, signal).check(given)
    if (refusal?.why === 'invalid') throw refused(refusal, given[refusal.test]!.field, given)
  })
}

const isPattern = ({ operator }: Pick<Condition, 'operator'>) =>
  operator === 'matches_pattern' || operator === 'matches_regex'

function patternsOf({ dimensions, property }: Filters) {
  const conditions = [
    ...dimensions.map(({ condition }) => condition),
    ...(property?.keys ?? []),
    ...(property?.values ?? []),
  ]
  return conditions
    .filter(isPattern)
    .flatMap(({ field, operator, values }) => values.map(value => ({ field, operator, value })))
}

async function resolveGoals(looking: Looking, whole: Scope, goalIds: string[]) {
  if (goalIds.length === 0) return undefined
  const goals = await findGoals(looking.reads, whole.siteNo, goalIds)
  if (goals.length < new Set(goalIds.map(id => id.toLowerCase())).size) {
    throw invalidField('goal', 'must be the id of a goal of the site')
  }
  return lookUpTargets(looking, whole, goals)
}

/** Resolves one condition after the other: a request has one place in the pattern pool. */
async function resolveFilters(
  looking: Looking,
  whole: Scope,
  { dimensions, property }: Filters,
): Promise<Scope['filters']> {
  const listed = listedOf(whole)
  const resolved: Filters['dimensions'] = []
  for (const { dimension, condition } of dimensions) {
    resolved.push({
      dimension,
      condition: await match(
        looking,
        condition,
        () => valuesOf(looking, whole, dimension),
        listed(dimension),
      ),
    })
  }
  return { dimensions: resolved, property: property && (await resolveProperty(looking, whole, property)) }
}

async function resolveProperty(
  looking: Looking,
  whole: Scope,
  property: NonNullable<Filters['property']>,
): Promise<NonNullable<Filters['property']>> {
  const listed = listedOf(whole)
  const keys: Condition[] = []
  for (const key of property.keys) {
    keys.push(
      await match(
        looking,
        key,
        () => list(looking, whole, 'list-distinct-property-keys'),
        listed('prop_key'),
      ),
    )
  }
  const isExact = keys.every(({ operator }) => operator === 'is')
  const asked = { keys: isExact ? keys.flatMap(key => key.values) : [] }
  const values: Condition[] = []
  for (const value of property.values) {
    values.push(
      await match(looking, value, () => list(looking, whole, 'list-distinct-property-values', { asked })),
    )
  }
  return { keys, values }
}

/** Returns values of hits in the time span, and of sessions that money belongs to; these may lie long before it. */
async function valuesOf(parts: Parts, whole: Scope, value: Dimension): Promise<string[] | undefined> {
  const ofHits = await list(parts, whole, 'list-distinct-values', { value })
  if (isHitDimension(value)) return ofHits
  const ofMoney = await list(parts, whole, 'list-distinct-money-values', { value })
  return ofHits && ofMoney && ofHits.concat(ofMoney)
}

/** Limit of the characters of all values that are compared. */
const MOST_CHARACTERS = 20_000_000

/** @returns undefined when there are too many */
async function list(
  { reads }: Parts,
  whole: Scope,
  statement: string,
  { value, asked = {} }: { value?: Dimension; asked?: Record<string, string[]> } = {},
): Promise<string[] | undefined> {
  const rows = await readFiltered<{ found: string[] | null }>(reads, statement, whole, {
    asked: { ...asked, characters: MOST_CHARACTERS },
    ...(value && { value }),
  })
  const parts = rows.map(({ found }) => found)
  return parts.every(found => found !== null) ? parts.flat() : undefined
}

const MOST_MATCHES = 1_000_000

/** Key of a value list in `recentSizes`. */
const listedOf = (whole: Scope) => (name: string) =>
  `${whole.siteNo} ${whole.start.getTime()} ${whole.end.getTime()} ${name}`

/**
 * Replaces the patterns of a condition by the list of values that match them.
 * @param listed key of the value list in `recentSizes`, if the list is the same for every request
 */
async function match(
  { work, patterns, now }: Looking,
  condition: Condition,
  occurring: () => Promise<string[] | undefined>,
  listed?: string,
): Promise<Condition> {
  if (!isPattern(condition)) return condition
  const { field, operator } = condition
  const tests = condition.values.map(value => ({ operator, value }))
  const sizes = recentSizes(patterns, now())
  const early = await work.check(tests, listed === undefined ? undefined : sizes.of(listed))
  if (early) throw refused(early, field, tests)
  const values = await occurring()
  if (!values) throw refused({ why: 'many' }, field)
  if (listed !== undefined) sizes.note(listed, values)
  // Test the empty value, too: money without a session has it.
  values.push('')
  const fitting: string[][] = []
  const refusal = await work.match({ tests, values, most: MOST_MATCHES }, (_, matches, batch) => {
    fitting.push(Array.from(matches, index => batch[index]!))
  })
  if (refusal) throw refused(refusal, field, tests)
  const found = fitting.flat()
  return { field, operator: 'is', values: tests.length > 1 ? [...new Set(found)] : found }
}

/** @param tests the patterns to which `refusal.test` refers */
function refused(refusal: Refusal, field: string, tests: { value: string }[] = []): AppError {
  if (refusal.why === 'many') {
    return invalidField(
      field,
      'The pattern meets too many different values in this range: ask for a shorter one',
    )
  }
  const pattern = shortened(tests[refusal.test]!.value)
  if (refusal.why === 'invalid') return invalidField(field, `${pattern} ${refusal.reason}`)
  return invalidField(
    field,
    `${pattern} takes too long on the values of this range: ask for a shorter range, or use a simpler pattern`,
  )
}
