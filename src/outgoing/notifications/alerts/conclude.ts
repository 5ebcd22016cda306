import { HOUR_MS } from '../../../platform/lib/time.ts'
import { judge, type Measured, type Verdict } from './judge.ts'
import type { DueRule } from './rule-rows.ts'
import { startOfLastHour } from './windows.ts'

/** What decides whether a condition can be judged at all. */
export interface Circumstances {
  now: Date
  /** Since when the service runs: before that no hits came in. */
  runningSince: Date
  /** Whether hits wait to be stored. */
  isBehind: boolean
}

/**
 * Judges a rule where its numbers mean what the rule is about. They do not while hits wait to be stored or to be compared with goals,
 * where the service was away in the window, or where imported hits lie in it.
 * @returns undefined when nothing can be said
 */
export function conclude(
  rule: DueRule,
  measured: Measured,
  circumstances: Circumstances,
): Verdict | undefined {
  const { condition } = rule
  if (!mayJudge(rule, measured, circumstances)) return undefined
  const verdict = judge(condition, measured, rule.openedAt !== null, circumstances.now.getTime())
  // Conversions that are missing can only raise the number: that it is not reached is not certain.
  const mayRise = condition.kind === 'goal' && lacksConversions(rule, circumstances)
  return verdict && !verdict.isMet && mayRise ? undefined : verdict
}

const lacksConversions = ({ hasUnmatchedHits }: DueRule, { isBehind }: Circumstances) =>
  isBehind || hasUnmatchedHits

function mayJudge(rule: DueRule, { lastHitAt }: Measured, circumstances: Circumstances): boolean {
  const { condition, firstEventAt, importedUntil, activeSince, openedAt } = rule
  const { now, runningSince, isBehind } = circumstances
  if (firstEventAt === null && condition.kind !== 'mrr_churn') return false
  const wasRunning = (ms: number) => runningSince.getTime() <= now.getTime() - ms
  const hour = startOfLastHour(now.getTime())
  const isImported = (importedUntil?.getTime() ?? Number.NEGATIVE_INFINITY) >= hour
  switch (condition.kind) {
    case 'traffic_spike':
      return !isBehind && !isImported
    case 'traffic_drop':
      return !isBehind && !isImported && runningSince.getTime() <= hour
    case 'error_rate':
    case 'error_count':
      return !isBehind && !isImported
    case 'no_hits':
      // A hit ends it in any case. Silence counts only while the service was running.
      return openedAt !== null || (!isBehind && wasRunning(silentMs(condition.hours, lastHitAt, now)))
    case 'goal': {
      if (condition.operator === 'above') return true
      const windowMs = condition.hours * HOUR_MS
      const isWhole = activeSince.getTime() <= now.getTime() - windowMs
      return !lacksConversions(rule, circumstances) && isWhole && wasRunning(windowMs)
    }
    case 'mrr_churn':
      return true
  }
}

const silentMs = (hours: number, lastHitAt: number | undefined, now: Date) =>
  Math.min(hours * HOUR_MS, now.getTime() - (lastHitAt ?? Number.NEGATIVE_INFINITY))
