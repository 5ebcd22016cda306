import { type AppError, invalidField, invalidValue } from '../../errors.ts'
import { allSpellings } from '../../events/source-spellings.ts'
import { type Condition, isPattern, shortened } from '../../filters/conditions.ts'
import { findGoals } from '../../goals/find-goal.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { PatternWork, type Refusal, sizeOf } from '../../rollups/patterns/match.ts'
import { withoutMoneyGoals } from '../../sharing/money-goals.ts'
import type { TimeSpan } from '../../time/range.ts'
import type { Question } from '../counts/question.ts'
import { type Filters, filtersOf, type StatsQuery } from '../filters/query.ts'
import {
  type ConversionTargets,
  type PropertyFilter,
  propertiesOf,
  type ResolvedFilters,
  type ResolvedQuery,
} from '../filters/resolved-query.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'
import { listPropertyKeys, listPropertyValues, listValues } from './occurring-values.ts'
import { questionsOf } from './question.ts'
import { checkGoals, lookUpTargets, type PatternServices, type ResolveServices } from './targets.ts'
import { recentSizes } from './value-sizes.ts'

/** All sessions that have a conversion. */
const listConvertedSessions = filteredQuery<undefined, { sessionNos: number[] }>(
  'list-converted-sessions',
  ['conversions'],
  `select coalesce(array_agg(distinct session_no), '{}') as "sessionNos"
  from conversions
  where session_no is not null`,
)

/**
 * Resolves the filters of a request for each of several adjacent time spans. Threads match wildcards and regular expressions
 * with the values that occur, in linear time; conversion targets are looked up once for all time spans.
 * @throws AppError `validation_failed` for a goal of another site, and for a pattern that is invalid, matches too many values
 * or is too costly; `unavailable` when too many requests of the team wait, or `signal` aborts
 */
export async function resolveQueries(
  services: ResolveServices,
  { siteNo, teamId }: { siteNo: number; teamId: string },
  given: Filters,
  spans: TimeSpan[],
): Promise<ResolvedQuery[]> {
  const { patterns, signal } = services
  const unfiltered = {
    siteNo,
    start: new Date(Math.min(...spans.map(({ start }) => start.getTime()))),
    end: new Date(Math.max(...spans.map(({ end }) => end.getTime()))),
    filters: { dimensions: [], property: undefined },
    goal: undefined,
  }
  const resolve = async () => {
    const withWork = { ...services, work: new PatternWork(patterns, signal) }
    return {
      filters: await resolveFilters(withWork, unfiltered, given),
      targets: await resolveGoals(withWork, unfiltered, given.goalIds),
      segmentTargets: await resolveEach(given.segmentGoalIds ?? [], ids =>
        resolveGoals(withWork, unfiltered, ids),
      ),
    }
  }
  const hasGoals = given.goalIds.length > 0 || (given.segmentGoalIds ?? []).length > 0
  const isSlow = hasGoals || patternsOf(given).length > 0
  const questions = await questionsOf(services, siteNo, given, spans)
  // Enter the pool before values are read: it limits many such requests to two at a time in the database.
  const inPool = <Result>(work: () => Promise<Result>) =>
    isSlow ? patterns.enter(teamId, signal, work) : work()
  const resolveInPool = async () => {
    const found = await inPool(resolve)
    return Promise.all(spans.map((span, index) => forRows(services, siteNo, span, found, questions[index])))
  }
  if (!isSlow) return resolveInPool()
  await inPool(() => checkGiven({ ...services, work: new PatternWork(patterns, signal) }, siteNo, given))
  let rows: Promise<ResolvedQuery[]> | undefined
  const completed = async (index: number) => {
    rows ??= resolveInPool()
    return (await rows)[index]!
  }
  return questions.map((question, index) => unresolved(siteNo, question, () => completed(index)))
}

type Found = {
  filters: ResolvedFilters
  targets: ConversionTargets | undefined
  segmentTargets: ConversionTargets[]
}

/** Returns the query of statements that read rows: patterns and goals are replaced by what matches them. */
async function forRows(
  services: ResolveServices,
  siteNo: number,
  { start, end }: TimeSpan,
  { filters, targets, segmentTargets }: Found,
  question: Question | undefined,
): Promise<ResolvedQuery> {
  const unconverted = { siteNo, start, end, filters, goal: undefined, ...(question && { question }) }
  const listConverted = async (targets: ConversionTargets) =>
    (await readSlices(services, listConvertedSessions, unconverted, { targets })).flatMap(
      ({ sessionNos }) => sessionNos,
    )
  const ofSegments = await resolveEach(segmentTargets, listConverted)
  const resolved =
    ofSegments.length > 0 ? { ...unconverted, segmentSessionNos: inAll(ofSegments) } : unconverted
  return targets ? { ...resolved, goal: { targets, sessionNos: await listConverted(targets) } } : resolved
}

const NO_TARGETS: ConversionTargets = { hits: [], scrolls: [] }

/** Returns a query for count functions, which compare patterns and goals themselves; a statement that reads rows completes it first. */
function unresolved(
  siteNo: number,
  question: Question,
  completed: () => Promise<ResolvedQuery>,
): ResolvedQuery {
  const { start, end, filters, properties, goals, requested } = question
  return {
    siteNo,
    start: new Date(start),
    end: new Date(end),
    filters: { dimensions: filters, property: undefined, segmentProperties: properties },
    goal: requested > 0 ? { targets: NO_TARGETS, sessionNos: [] } : undefined,
    ...(goals.length > requested && { segmentSessionNos: [] }),
    question,
    completed,
  }
}

/**
 * Checks patterns and goals that count functions will compare.
 * @throws as `resolveQueries`
 */
async function checkGiven(services: PatternServices, siteNo: number, given: Filters): Promise<void> {
  const tests = patternsOf(given)
  const refusal = tests.length > 0 ? await services.work.check(tests) : undefined
  if (refusal) throw refused(refusal, 'test' in refusal ? tests[refusal.test]!.field : '', tests)
  for (const ids of [given.goalIds, ...(given.segmentGoalIds ?? [])]) {
    await checkGoals(services, await goalsOf(services, siteNo, ids))
  }
}

/** One after the other: a request has one place in the pattern pool. */
async function resolveEach<Given, Result>(
  given: Given[],
  resolve: (each: Given) => Promise<Result | undefined>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const each of given) {
    const result = await resolve(each)
    if (result !== undefined) results.push(result)
  }
  return results
}

function inAll([first = [], ...others]: number[][]): number[] {
  const sets = others.map(list => new Set(list))
  return first.filter(no => sets.every(set => set.has(no)))
}

/**
 * Checks the patterns of filters that are accepted but not applied.
 * @throws AppError `validation_failed` for an invalid pattern
 */
export async function checkPatterns(
  { patterns, signal }: Pick<ResolveServices, 'patterns' | 'signal'>,
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

function patternsOf(filters: ResolvedFilters) {
  const properties = propertiesOf(filters).flatMap(({ keys, values }) => [...keys, ...values])
  return [...filters.dimensions.map(({ condition }) => condition), ...properties]
    .filter(isPattern)
    .flatMap(({ field, operator, values }) => values.map(value => ({ field, operator, value })))
}

async function resolveGoals(services: PatternServices, unfiltered: ResolvedQuery, goalIds: string[]) {
  if (goalIds.length === 0) return undefined
  return lookUpTargets(services, unfiltered, await goalsOf(services, unfiltered.siteNo, goalIds))
}

/** @throws AppError `validation_failed` for a goal that the reader may not see, or of another site */
async function goalsOf(services: PatternServices, siteNo: number, goalIds: string[]): Promise<GoalRecord[]> {
  if (goalIds.length === 0) return []
  const found = await findGoals(services.reads, siteNo, goalIds)
  const goals = await withoutMoneyGoals(services, found)
  if (goals.length < new Set(goalIds.map(id => id.toLowerCase())).size) {
    throw invalidField('goal', 'must be the id of a goal of the site')
  }
  return goals
}

/** Resolves one condition after the other: a request has one place in the pattern pool. */
async function resolveFilters(
  services: PatternServices,
  unfiltered: ResolvedQuery,
  { dimensions, property, segmentProperties }: Filters,
): Promise<ResolvedFilters> {
  const { siteNo, start, end } = unfiltered
  const keyOf = (list: string) => `${siteNo} ${start.getTime()} ${end.getTime()} ${list}`
  const resolved: ResolvedFilters = { dimensions: [], property: undefined }
  for (const { dimension, condition } of dimensions) {
    const list = () => listValues(services, unfiltered, dimension)
    resolved.dimensions.push({
      dimension,
      condition:
        dimension === 'source' && (condition.operator === 'is' || condition.operator === 'is_not')
          ? { ...condition, values: await allSpellings(services.reads, siteNo, condition.values) }
          : await match(services, condition, list, keyOf(dimension)),
    })
  }
  const resolveProperty = async (given: PropertyFilter): Promise<PropertyFilter> => {
    const keys = await resolveEach(given.keys, key =>
      match(services, key, () => listPropertyKeys(services, unfiltered), keyOf('prop_key'), []),
    )
    const values = await resolveEach(given.values, value =>
      match(services, value, () => listPropertyValues(services, unfiltered, keys)),
    )
    return { keys, values }
  }
  if (property) resolved.property = await resolveProperty(property)
  if (segmentProperties) resolved.segmentProperties = await resolveEach(segmentProperties, resolveProperty)
  return resolved
}

const MOST_MATCHES = 1_000_000

/**
 * Replaces the patterns of a condition by the list of values that match them.
 * @param listKey key of the value list in `recentSizes`, if the list is the same for every request
 * @param others values that are compared beside the list. The empty one: money without a session has it. As a key of properties it would
 * stand for hits without properties, which no pattern means
 */
async function match(
  { work, patterns }: PatternServices,
  condition: Condition,
  list: () => Promise<string[] | undefined>,
  listKey?: string,
  others: readonly string[] = [''],
): Promise<Condition> {
  if (!isPattern(condition)) return condition
  const { field, operator } = condition
  const tests = condition.values.map(value => ({ operator, value }))
  const sizes = recentSizes(patterns)
  const early = await work.check(tests, listKey === undefined ? undefined : sizes.get(listKey))
  if (early) throw refused(early, field, tests)
  const values = await list()
  if (!values) throw refused({ why: 'many' }, field)
  if (listKey !== undefined) sizes.set(listKey, sizeOf(values))
  values.push(...others)
  const matching: string[][] = []
  const refusal = await work.match({ tests, values, most: MOST_MATCHES }, (_, matches, batch) => {
    matching.push(Array.from(matches, index => batch[index]!))
  })
  if (refusal) throw refused(refusal, field, tests)
  const found = matching.flat()
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
  if (refusal.why === 'invalid') return invalidValue(field, `${pattern} ${refusal.reason}`)
  return invalidValue(
    field,
    `${pattern} takes too long on the values of this range: ask for a shorter range, or use a simpler pattern`,
  )
}
