import type { Config } from '../../config.ts'
import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { limitTime } from '../../lib/time-budget.ts'
import type { Job } from '../../rollups/scheduler.ts'
import type { Log } from '../../runtime/log.ts'
import { judge, type Measured, type Verdict } from './judge.ts'
import { measure } from './measure.ts'
import { tellOpened, tellResolved } from './messages.ts'
import {
  type DueRule,
  markChecked,
  openIncident,
  resolveIncident,
  selectDueRules,
  setClearSince,
} from './rule-rows.ts'
import { startOfLastHour } from './windows.ts'
import { sentenceOf } from './wording.ts'

/** How often a rule is checked. */
const EVERY_MS = 5 * MINUTE_MS
/** Most sites of one round of statements. */
const ROUND = 100
/** Time limit of one run: other jobs wait this long. */
const BUDGET_MS = 5_000
/** The service counts as away when no check ran for so long. */
const AWAY_MS = 4 * EVERY_MS
/** How long traffic and errors must be normal before an incident is over. */
const CALM_MS = 15 * MINUTE_MS
/** Conversions are kept for the longest window of a rule. */
const KEPT_MS = 8 * DAY_MS

/** Notes that checks run. @returns since when they run without a longer interruption */
const beat = query<{ now: Date; before: Date }, { runningSince: Date }>(
  'beat-alert-clock',
  `insert into alert_clock (checked_at, running_since)
  values (:now, :now)
  on conflict (id) do update
  set
    running_since = case when alert_clock.checked_at < :before::timestamptz then excluded.checked_at else alert_clock.running_since end,
    checked_at = greatest(alert_clock.checked_at, excluded.checked_at)
  returning running_since as "runningSince"`,
)

const forgetConversions = query<{ before: Date }>(
  'forget-goal-conversions',
  'delete from goal_conversions where at < :before',
)

export interface AlertServices {
  db: Db
  config: Config
  log: Log
}

/** What decides whether a condition can be judged at all. */
interface Circumstances {
  now: Date
  /** Since when the service runs: before that no hits came in. */
  runningSince: Date
  /** Whether hits wait to be stored. */
  isBehind: boolean
}

/**
 * Checks the rules that are due, for up to five seconds. All state is in the database, and each change of it is one transaction
 * with its messages: it is safe to stop at any point.
 * @param isBehind whether hits wait to be stored: silence then says nothing
 * @returns whether more rules are due
 */
export async function checkRules(services: AlertServices, now: Date, isBehind = false): Promise<boolean> {
  const { db } = services
  const hasTime = limitTime(BUDGET_MS)
  const [clock] = await beat(db, { now, before: new Date(now.getTime() - AWAY_MS) })
  const circumstances = { now, isBehind, runningSince: clock!.runningSince }
  const before = new Date(now.getTime() - EVERY_MS)
  for (;;) {
    const rules = await selectDueRules(db, { before, sites: ROUND })
    if (rules.length === 0) {
      await forgetConversions(db, { before: new Date(now.getTime() - KEPT_MS) })
      return false
    }
    await checkRound(services, rules, circumstances)
    await markChecked(db, { ids: rules.map(({ id }) => id), now })
    if (!hasTime()) return true
  }
}

/** A failure is logged: the rules behind it, and those of other sites, are checked all the same. */
async function checkRound(
  services: AlertServices,
  rules: readonly DueRule[],
  circumstances: Circumstances,
): Promise<void> {
  const failed = (error: unknown, ruleId?: string) =>
    services.log.warn({ error, ruleId }, 'alerts could not be checked; again in five minutes')
  const measured = await measure(services.db, rules, circumstances.now).catch(failed)
  if (!measured) return
  for (const rule of rules)
    await checkRule(services, rule, measured(rule), circumstances).catch(error => failed(error, rule.id))
}

async function checkRule(
  services: AlertServices,
  rule: DueRule,
  measured: Measured,
  circumstances: Circumstances,
): Promise<void> {
  const { now } = circumstances
  const isOpen = rule.openedAt !== null
  const verdict = mayJudge(rule, measured, circumstances)
    ? judge(rule.condition, measured, isOpen, now.getTime())
    : undefined
  if (!verdict) return
  if (!isOpen) {
    if (verdict.isMet) await open(services, rule, verdict, now)
    return
  }
  if (verdict.isMet) {
    if (rule.clearSince) await setClearSince(services.db, { id: rule.id, at: null })
    return
  }
  const clearSince = rule.clearSince ?? now
  if (now.getTime() - clearSince.getTime() >= calmOf(rule)) await resolve(services, rule, now)
  else if (!rule.clearSince) await setClearSince(services.db, { id: rule.id, at: now })
}

const calmOf = ({ kind }: DueRule) => (kind.startsWith('traffic') || kind.startsWith('error') ? CALM_MS : 0)

/**
 * Returns whether the numbers mean what the rule is about. They do not while hits wait to be stored, where the service was away in
 * the window, or where imported hits lie in it.
 */
function mayJudge(
  { condition, firstEventAt, importedUntil, activeSince, openedAt, goalName }: DueRule,
  { lastHitAt }: Measured,
  { now, runningSince, isBehind }: Circumstances,
): boolean {
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
      // A hit ends it in any case. Silence counts only as long as somebody listened.
      return openedAt !== null || (!isBehind && wasRunning(silentMs(condition.hours, lastHitAt, now)))
    case 'goal': {
      if (goalName === null) return false
      const windowMs = condition.hours * HOUR_MS
      const isWhole = activeSince.getTime() <= now.getTime() - windowMs
      return condition.operator === 'above' || (!isBehind && isWhole && wasRunning(windowMs))
    }
    case 'mrr_churn':
      return true
  }
}

const silentMs = (hours: number, lastHitAt: number | undefined, now: Date) =>
  Math.min(hours * HOUR_MS, now.getTime() - (lastHitAt ?? Number.NEGATIVE_INFINITY))

async function open(services: AlertServices, rule: DueRule, verdict: Verdict, now: Date): Promise<void> {
  const text = sentenceOf(rule.condition, verdict, { currency: rule.currency, goal: rule.goalName ?? '' })
  await services.db.begin(async tx => {
    const [incident] = await openIncident(tx, {
      ruleId: rule.id,
      value: verdict.value,
      bound: verdict.bound,
      text,
      now,
      activeSince: rule.activeSince,
    })
    if (!incident) return
    await tellOpened(tx, services.config, rule, { ...verdict, id: incident.id, openedAt: now, text }, now)
  })
}

async function resolve(services: AlertServices, rule: DueRule, now: Date): Promise<void> {
  await services.db.begin(async tx => {
    const [incident] = await resolveIncident(tx, { ruleId: rule.id, now })
    if (!incident) return
    await setClearSince(tx, { id: rule.id, at: null })
    await tellResolved(tx, services.config, rule, incident, now)
  })
}

/** @param isBehind tells whether hits wait to be stored */
export const alertJob = (
  services: Pick<AlertServices, 'config' | 'log'>,
  isBehind: () => Promise<boolean>,
): Job => ({
  name: 'alerts',
  everyMs: MINUTE_MS,
  run: async ({ db }, now) => checkRules({ ...services, db }, now, await isBehind()),
})
