import { type AppError, invalidField } from '../../errors.ts'
import { type GoalTarget, targetOf, testOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { statement } from '../../infra/db.ts'
import type { Services } from '../../infra/services.ts'
import { PatternWork, type Refusal } from '../../rollups/patterns/match.ts'
import { runTask } from '../../rollups/protocol.ts'
import type { ConversionTargets } from './scope.ts'
import { recentSizes } from './value-sizes.ts'

const listGoalValues = statement<{ kind: string; value: string }>('list-goal-values')
const sumFolded = statement<{ hits: number }>('sum-folded-hits')

interface Span {
  siteNo: number
  start: Date
  end: Date
}

/** Most values that goals may match, all of them together, and most that are looked at, and their characters. */
const MOST_MATCHES = 2_000_000
const MOST_VALUES = 500_000
const MOST_CHARACTERS = 20_000_000

type Parts = Pick<Services, 'reads' | 'rollups' | 'patterns' | 'now'> & { signal?: AbortSignal | undefined }

/**
 * What converts each of the goals, as rows to join hits with; a goal's number is its index in `goals`.
 * @throws AppError `validation_failed` when they match too many values, or one of them is too costly to look for;
 * `unavailable` when too many requests of the team wait
 */
export function findTargets(
  parts: Parts,
  span: Span & { teamId: string },
  goals: readonly GoalRecord[],
): Promise<ConversionTargets> {
  const { patterns, signal } = parts
  return patterns.enter(span.teamId, signal, () =>
    lookUpTargets({ ...parts, work: new PatternWork(patterns, signal) }, span, goals),
  )
}

/**
 * The same, by who has a place.
 * Operators are applied to the values that occur in the span, in a thread: one definition for all databases.
 */
export async function lookUpTargets(
  { reads, rollups, patterns, now, work }: Parts & { work: PatternWork },
  span: Span,
  goals: readonly GoalRecord[],
): Promise<ConversionTargets> {
  const targets = goals.map(targetOf)
  const kinds = [...new Set(targets.map(({ kind }) => hitTypeOf(kind)))]
  const sizes = recentSizes(patterns, now())
  const asked = kinds.map(kind => {
    const ofKind = targets.flatMap((target, goal) =>
      hitTypeOf(target.kind) === kind ? [{ target, goal }] : [],
    )
    return {
      kind,
      ofKind,
      tests: ofKind.map(({ target }) => testOf(target)),
      listed: `${span.siteNo} ${span.start.getTime()} ${span.end.getTime()} goals ${kind}`,
    }
  })
  for (const { ofKind, tests, listed } of asked) {
    const refusal = await work.check(tests, sizes.of(listed))
    if (refusal) throw refused(refusal, index => goals[ofKind[index]!.goal]!)
  }
  const occurring = await listValues({ reads, rollups }, span, kinds)
  const groups = new Groups()
  for (const { kind, ofKind, tests, listed } of asked) {
    const values = occurring.get(kind) ?? []
    sizes.note(listed, values)
    const refusal = await work.match({ tests, values, most: MOST_MATCHES }, (index, matches, batch) => {
      const { target, goal } = ofKind[index]!
      for (const match of matches) groups.add(goal, target, batch[match]!)
    })
    if (refusal) throw refused(refusal, index => goals[ofKind[index]!.goal]!)
  }
  return groups.targets()
}

/** Dimensions of days' folds that have every value of a type of hits, and others: those meet no hit of the type. */
const FOLDED_IN: Record<string, string> = { pageview: 'path', event: 'event_name' }

/** More are taken from the hits: a list of them is no longer quicker to get from folds. */
const MOST_FOLDED = 50_000
/** As many hits are looked through as soon as folds are added up. */
const FEW_HITS = 300_000

/**
 * What goals of each kind can meet in the span.
 * @throws as `findTargets`
 */
async function listValues(
  { reads, rollups }: Pick<Services, 'reads' | 'rollups'>,
  span: Span,
  kinds: string[],
): Promise<Map<string, string[]>> {
  const values = new Map<string, string[]>()
  const { siteNo, start, end } = span
  const [folded] = await sumFolded(reads, siteNo, start, end)
  if (folded!.hits > FEW_HITS) {
    await Promise.all(
      kinds.map(async kind => {
        const listed = FOLDED_IN[kind] && (await listFolded(rollups, span, FOLDED_IN[kind]))
        if (listed) values.set(kind, listed)
      }),
    )
  }
  const others = kinds.filter(kind => !values.has(kind))
  if (others.length === 0) return values
  const occurring = await listGoalValues(reads, siteNo, start, end, others, MOST_VALUES + 1, MOST_CHARACTERS)
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

/** @returns undefined where the days are not folded, or have too many values */
async function listFolded(
  rollups: Services['rollups'],
  { siteNo, start, end }: Span,
  dimension: string,
): Promise<string[] | undefined> {
  const ranked = await runTask(rollups, 'rankValues', {
    siteNo,
    window: { start: start.getTime(), end: end.getTime() },
    dimension,
    by: ['hits'],
    shown: ['hits'],
    leavesOutEmpty: false,
    limit: MOST_FOLDED,
    offset: 0,
  })
  return ranked && ranked.total <= MOST_FOLDED ? ranked.rows.map(({ value }) => value) : undefined
}

const tooMany = () =>
  invalidField('range', 'The goals match too many different values in this range: ask for a shorter one')

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

/** A scroll is that of a pageview: its path is among theirs. */
const hitTypeOf = (kind: GoalTarget['kind']) => (kind === 'engagement' ? 'pageview' : kind)

/** Goals by what they have in common, so that a hit is joined with few rows. */
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
    // Every pageview is scrolled to 0 %, with or without engagement.
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
