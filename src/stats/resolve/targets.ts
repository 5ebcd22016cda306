import { type AppError, invalidField } from '../../errors.ts'
import { type GoalTarget, targetOf, testOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { type PatternWork, type Refusal, sizeOf } from '../../rollups/patterns/match.ts'
import { wholeValuesOf } from '../../rollups/patterns/value-match.ts'
import type { Services } from '../../services.ts'
import type { Grant } from '../../sharing/grant.ts'
import type { ConversionTargets } from '../filters/resolved-query.ts'
import { listOccurring, type SiteSpan, tooMany } from './goal-values.ts'
import { recentSizes } from './value-sizes.ts'

export type ResolveServices = Pick<
  Services,
  'reads' | 'rollups' | 'slices' | 'patterns' | 'now' | 'counter'
> & {
  signal?: AbortSignal | undefined
  /** What the reader may see; null for users, who see everything. */
  grant: Grant | null
}

/** The same, with the pattern work of the request: its budget is shared by all patterns and goals. */
export type PatternServices = ResolveServices & { work: PatternWork }

/** Most values that all goals together may match. */
const MOST_MATCHES = 2_000_000

/**
 * Returns the conversion targets of goals, as rows to join hits with; a goal's number is its index in `goals`. The caller has its place
 * in the pattern pool, where a thread applies the operators: one definition for all databases.
 * @throws AppError `validation_failed` when the goals match too many values, or the search for one of them is too costly
 */
export async function lookUpTargets(
  services: PatternServices,
  span: SiteSpan,
  goals: readonly GoalRecord[],
): Promise<ConversionTargets> {
  const { patterns, work } = services
  const targets = goals.map((goal, index) => {
    const target = targetOf(goal)
    return { goal: index, target, kind: hitTypeOf(target.kind) }
  })
  // Known values need not be looked for: where it does not occur, it converts nothing.
  const kinds = [...new Set(targets.filter(({ target }) => !wholeValues(target)).map(({ kind }) => kind))]
  const sizes = recentSizes(patterns)
  const byKind = kinds.map(kind => {
    const ofKind = targets.filter(each => each.kind === kind)
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
  const occurring =
    kinds.length > 0 ? await listOccurring(services, span, kinds) : new Map<string, string[]>()
  const groups = new Groups()
  for (const { goal, target, kind } of targets) {
    if (kinds.includes(kind)) continue
    for (const value of wholeValues(target) ?? []) groups.add(goal, target, value)
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

/**
 * Checks goals that count functions will look for.
 * @throws AppError `validation_failed` for one whose pattern is invalid
 */
export async function checkGoals(
  { work }: Pick<PatternServices, 'work'>,
  goals: readonly GoalRecord[],
): Promise<void> {
  const compared = goals.filter(goal => !wholeValues(targetOf(goal)))
  if (compared.length === 0) return
  const refusal = await work.check(compared.map(goal => testOf(targetOf(goal))))
  if (refusal) throw refused(refusal, index => compared[index]!)
}

const wholeValues = ({ operator, value }: GoalTarget) =>
  value === null ? undefined : wholeValuesOf(operator, value)

function refused(refusal: Refusal, goalOf: (test: number) => GoalRecord): AppError {
  if (refusal.why === 'many') return tooMany()
  const { displayName, id } = goalOf(refusal.test)
  return invalidField(
    'goal',
    refusal.why === 'invalid'
      ? `The goal ${displayName} (${id}) cannot be looked for: its match_value ${refusal.reason}; change or delete it`
      : `The goal ${displayName} (${id}) takes too long to look for among the values of this range: ask for a shorter range, or give it a simpler match_value`,
  )
}

/** Scroll goals match pageviews: their paths are those of pageviews. */
const hitTypeOf = (kind: GoalTarget['kind']) => (kind === 'engagement' ? 'pageview' : kind)

/** Every pageview reaches a scroll of 0 %, with or without engagement. */
const needsScroll = ({ kind, scrollThreshold }: Pick<GoalTarget, 'kind' | 'scrollThreshold'>) =>
  kind === 'engagement' && scrollThreshold !== null && scrollThreshold > 0

/** Groups goals with the same target, so that a hit is joined with few rows. */
class Groups {
  readonly #hits = new Map<string, ConversionTargets['hits'][number]>()
  readonly #scrolls = new Map<string, ConversionTargets['scrolls'][number]>()

  add(goal: number, { kind, scrollThreshold, props }: GoalTarget, value: string): void {
    if (needsScroll({ kind, scrollThreshold })) {
      const key = `${scrollThreshold} ${value}`
      const group = this.#scrolls.get(key)
      if (group) group.goals.push(goal)
      else this.#scrolls.set(key, { path: value, threshold: scrollThreshold!, goals: [goal] })
      return
    }
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
