import { LIFECYCLE_NAMES } from '../../events/reserved-names.ts'
import type { GoalTarget } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { PatternWork } from '../../rollups/patterns/match.ts'
import { datesOf, type TargetsOf, type Window } from '../../rollups/protocol.ts'
import type { ConversionTargets } from '../filters/resolved-query.ts'
import type { SiteSpan } from './goal-values.ts'
import { hitTypeOf, matchGoals, needsScroll, type PatternServices, type ResolveServices } from './targets.ts'

interface RollupTargets {
  /** Targets of each time span. */
  rows: TargetsOf[]
  /** What the service itself writes, at any time: its names are a finite list. */
  service: ConversionTargets
}

/** An engagement counts in the time in which it came, and its pageview may lie before: the path is read from the engagement. */
const kindInSlice = (target: GoalTarget) => (needsScroll(target) ? 'engagement' : hitTypeOf(target.kind))

/**
 * Returns the conversion targets of goals in the time spans whose rows are counted beside rollups.
 * @param list returns the values that occur in a span, by kind
 * @throws AppError as `findTargets`
 */
export function findRollupTargets(
  { patterns, signal }: Pick<ResolveServices, 'patterns' | 'signal'>,
  { siteNo, teamId }: { siteNo: number; teamId: string },
  windows: readonly Window[],
  goals: readonly GoalRecord[],
  list: (span: SiteSpan, kinds: string[]) => Promise<Map<string, string[]>>,
): Promise<RollupTargets> {
  return patterns.enter(teamId, signal, async () => {
    const matching = { patterns, work: new PatternWork(patterns, signal) }
    const rows: TargetsOf[] = []
    for (const window of windows) {
      const targets = await matchGoals(matching, goals, {
        name: `${siteNo} ${window.start} ${window.end}`,
        kindOf: kindInSlice,
        list: kinds => list({ siteNo, ...datesOf(window) }, kinds),
      })
      rows.push({ window, targets })
    }
    return { rows, service: await serviceTargets(matching, goals) }
  })
}

async function serviceTargets(
  matching: Pick<PatternServices, 'patterns' | 'work'>,
  goals: readonly GoalRecord[],
): Promise<ConversionTargets> {
  const { hits } = await matchGoals(matching, goals, {
    name: 'service',
    kindOf: ({ kind }) => (kind === 'event' ? kind : undefined),
    list: async () => new Map([['event', [...LIFECYCLE_NAMES]]]),
  })
  return { hits: hits.filter(({ value }) => LIFECYCLE_NAMES.some(name => name === value)), scrolls: [] }
}
