import { query } from '../../db/query.ts'
import { AppError, invalidField } from '../../errors.ts'
import { type GoalTarget, targetOf, testOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { PatternWork, type Refusal, sizeOf } from '../../rollups/patterns/match.ts'
import { runTask } from '../../rollups/protocol.ts'
import type { Services } from '../../services.ts'
import type { Grant } from '../../sharing/grant.ts'
import { type TimeSpan, toWindow } from '../../time/range.ts'
import type { ConversionTargets } from '../filters/resolved-query.ts'
import { recentSizes } from './value-sizes.ts'

export type ResolveServices = Pick<Services, 'reads' | 'rollups' | 'slices' | 'patterns' | 'now'> & {
  signal?: AbortSignal | undefined
  /** What the reader may see; null for users, who see everything. */
  grant: Grant | null
}

/** The same, with the pattern work of the request: its budget is shared by all patterns and goals. */
export type PatternServices = ResolveServices & { work: PatternWork }

interface SiteSpan extends TimeSpan {
  siteNo: number
}

/** Every path, name and selector of the hits of some types. */
const listGoalValues = query<
  SiteSpan & { types: string[]; limit: number; mostCharacters: number },
  { kind: string; value: string }
>('list-goal-values')

/** Approximate number of hits that a search for goal values must read: those of the rolled-up days that begin in the time span. */
const sumRolledUpHits = query<SiteSpan, { hits: number }>(
  'sum-rolled-up-hits',
  `select coalesce(sum(pageviews + custom_events), 0)::bigint as hits
  from daily_rollups
  where site_no = :siteNo::int and starts_at >= :start::timestamptz and starts_at < :end::timestamptz`,
)

/** Limits: values that all goals together may match, values that are compared, and characters of these values. */
const MOST_MATCHES = 2_000_000
const MOST_VALUES = 500_000
const MOST_CHARACTERS = 20_000_000

/**
 * Returns the conversion targets of goals, as rows to join hits with; a goal's number is its index in `goals`.
 * @throws AppError `validation_failed` when the goals match too many values, or the search for one of them is too costly;
 * `unavailable` when too many requests of the team wait
 */
export function findTargets(
  services: ResolveServices,
  span: SiteSpan & { teamId: string },
  goals: readonly GoalRecord[],
): Promise<ConversionTargets> {
  const { patterns, signal } = services
  return patterns.enter(span.teamId, signal, () =>
    lookUpTargets({ ...services, work: new PatternWork(patterns, signal) }, span, goals),
  )
}

/**
 * Does the same as `findTargets` for a caller that already has its place in the pattern pool.
 * A thread applies the operators to the values that occur in the time span: one definition for all databases.
 */
export async function lookUpTargets(
  { reads, rollups, patterns, work }: PatternServices,
  span: SiteSpan,
  goals: readonly GoalRecord[],
): Promise<ConversionTargets> {
  const targets = goals.map(targetOf)
  // A single value need not be looked for: where it does not occur, it converts nothing.
  const kinds = [...new Set(targets.filter(target => !isExact(target)).map(({ kind }) => hitTypeOf(kind)))]
  const sizes = recentSizes(patterns)
  const byKind = kinds.map(kind => {
    const ofKind = targets.flatMap((target, goal) =>
      hitTypeOf(target.kind) === kind ? [{ target, goal }] : [],
    )
    return {
      kind,
      ofKind,
      tests: ofKind.map(({ target }) => testOf(target)),
      listKey: `${span.siteNo} ${span.start.getTime()} ${span.end.getTime()} goals ${kind}`,
    }
  })
  for (const { ofKind, tests, listKey } of byKind) {
    const refusal = await work.check(tests, sizes.get(listKey))
    if (refusal) throw refused(refusal, index => goals[ofKind[index]!.goal]!)
  }
  const occurring = await listOccurring({ reads, rollups }, span, kinds)
  const groups = new Groups()
  for (const [goal, target] of targets.entries()) {
    if (!kinds.includes(hitTypeOf(target.kind))) groups.add(goal, target, target.value!)
  }
  for (const { kind, ofKind, tests, listKey } of byKind) {
    const values = occurring.get(kind) ?? []
    sizes.set(listKey, sizeOf(values))
    const refusal = await work.match({ tests, values, most: MOST_MATCHES }, (index, matches, batch) => {
      const { target, goal } = ofKind[index]!
      for (const match of matches) groups.add(goal, target, batch[match]!)
    })
    if (refusal) throw refused(refusal, index => goals[ofKind[index]!.goal]!)
  }
  return groups.targets()
}

const isExact = ({ operator, value }: GoalTarget) =>
  value !== null && (operator === 'is' || (operator === 'matches_pattern' && !value.includes('*')))

/** Dimensions of daily rollups that contain every value of a hit type. Other values in them match no hit of the type. */
const ROLLED_UP_IN: Record<string, string> = { pageview: 'path', event: 'event_name' }

/** Longer lists are read from the hits: rollups are not faster there. */
const MOST_ROLLED_UP = 50_000
/** Up to this number, a scan of the hits is as fast as the sum of the rollups. */
const FEW_HITS = 300_000

/**
 * Returns the values that goals of each kind can match in the time span.
 * @throws as `findTargets`
 */
async function listOccurring(
  { reads, rollups }: Pick<Services, 'reads' | 'rollups'>,
  span: SiteSpan,
  kinds: string[],
): Promise<Map<string, string[]>> {
  if (kinds.length === 0) return new Map()
  const values = new Map<string, string[]>()
  const [rolledUp] = await sumRolledUpHits(reads, span)
  if (rolledUp!.hits > FEW_HITS) {
    await Promise.all(
      kinds.map(async kind => {
        const listed = ROLLED_UP_IN[kind] && (await listRolledUp(rollups, span, ROLLED_UP_IN[kind]))
        if (listed) values.set(kind, listed)
      }),
    )
  }
  const others = kinds.filter(kind => !values.has(kind))
  if (others.length === 0) return values
  const occurring = await listGoalValues(reads, {
    ...span,
    types: others,
    limit: MOST_VALUES + 1,
    mostCharacters: MOST_CHARACTERS,
  })
  const characters = occurring.reduce((sum, { value }) => sum + value.length, 0)
  if (occurring.length > MOST_VALUES || characters > MOST_CHARACTERS) throw tooMany()
  for (const kind of others) {
    values.set(
      kind,
      occurring.filter(row => row.kind === kind).map(row => row.value),
    )
  }
  return values
}

/** @returns undefined when the days are not rolled up or have too many values */
async function listRolledUp(
  rollups: Services['rollups'],
  span: SiteSpan,
  dimension: string,
): Promise<string[] | undefined> {
  const ranked = await runTask(rollups, 'rankValues', {
    siteNo: span.siteNo,
    window: toWindow(span),
    dimension,
    by: ['hits'],
    shown: ['hits'],
    leavesOutEmpty: false,
    limit: MOST_ROLLED_UP,
    offset: 0,
  })
  return ranked && ranked.total <= MOST_ROLLED_UP ? ranked.rows.map(({ value }) => value) : undefined
}

const tooMany = () =>
  invalidField('range', 'The goals match too many different values in this range: ask for a shorter one')

/** A goal that cannot be looked for. */
export class GoalRefused extends AppError {
  readonly goal: GoalRecord
  /** What is wrong with its value; undefined where it takes too long. */
  readonly reason: string | undefined

  constructor(goal: GoalRecord, reason: string | undefined) {
    const message =
      reason !== undefined
        ? `The goal ${goal.displayName} (${goal.id}) cannot be looked for: its match_value ${reason}; change or delete it`
        : `The goal ${goal.displayName} (${goal.id}) takes too long to look for among the values of this range: ask for a shorter range, or give it a simpler match_value`
    super('validation_failed', message, { fields: { goal: [message] } })
    this.goal = goal
    this.reason = reason
  }
}

function refused(refusal: Refusal, goalOf: (test: number) => GoalRecord): AppError {
  if (refusal.why === 'many') return tooMany()
  return new GoalRefused(goalOf(refusal.test), refusal.why === 'invalid' ? refusal.reason : undefined)
}

/** Scroll goals match pageviews: their paths are those of pageviews. */
const hitTypeOf = (kind: GoalTarget['kind']) => (kind === 'engagement' ? 'pageview' : kind)

/** Groups goals with the same target, so that a hit is joined with few rows. */
class Groups {
  readonly #hits = new Map<string, ConversionTargets['hits'][number]>()
  readonly #scrolls = new Map<string, ConversionTargets['scrolls'][number]>()

  add(goal: number, { kind, scrollThreshold, props }: GoalTarget, value: string): void {
    if (kind === 'engagement' && scrollThreshold !== null && scrollThreshold > 0) {
      const key = `${scrollThreshold} ${value}`
      const group = this.#scrolls.get(key)
      if (group) group.goals.push(goal)
      else this.#scrolls.set(key, { path: value, threshold: scrollThreshold, goals: [goal] })
      return
    }
    // Every pageview reaches a scroll of 0 %, with or without engagement.
    const type = hitTypeOf(kind)
    const wanted = Object.keys(props).length > 0 ? JSON.stringify(props) : null
    const key = `${type} ${wanted} ${value}`
    const group = this.#hits.get(key)
    if (group) group.goals.push(goal)
    else this.#hits.set(key, { kind: type, value, props: wanted, goals: [goal] })
  }

  targets(): ConversionTargets {
    return { hits: [...this.#hits.values()], scrolls: [...this.#scrolls.values()] }
  }
}
