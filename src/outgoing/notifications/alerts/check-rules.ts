import type { Config } from '../../../platform/config/config.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import { limitTime } from '../../../platform/lib/time-budget.ts'
import type { Log } from '../../../platform/runtime/log.ts'
import type { Job } from '../../../storage/rollups/scheduler.ts'
import { AWAY_MS, checkRule } from './check-rule.ts'
import type { Circumstances } from './conclude.ts'
import { measure } from './measure.ts'
import { type DueRule, markChecked, selectDueRules } from './rule-rows.ts'

/** How often a rule is checked. */
const EVERY_MS = 5 * MINUTE_MS
/** Most sites of one round of statements. */
const ROUND = 100
/** Time limit of one run: other jobs wait this long. */
const BUDGET_MS = 5_000
/** Hits are compared with goals within seconds. */
const UNMATCHED_MS = MINUTE_MS
/** Conversions are kept for the longest window of a rule. */
const KEPT_MS = 8 * DAY_MS

/**
 * Notes that checks run. A last check that lies far in the future was written by a clock that was wrong: that counts as an interruption.
 * @returns since when they run without a longer interruption
 */
const beat = query<{ now: Date; before: Date; after: Date }, { runningSince: Date }>(
  'beat-alert-clock',
  `insert into alert_clock (checked_at, running_since)
  values (:now, :now)
  on conflict (id) do update
  set
    running_since = case
      when alert_clock.checked_at between :before::timestamptz and :after::timestamptz then alert_clock.running_since
      else excluded.checked_at
    end,
    checked_at = excluded.checked_at
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

/**
 * Checks the rules that are due, for up to five seconds. All state is in the database, and each change of it is one transaction
 * with its messages: it is safe to stop at any point.
 * @param isBehind whether hits wait to be stored: silence then says nothing
 * @returns whether more rules are due
 */
export async function checkRules(services: AlertServices, now: Date, isBehind = false): Promise<boolean> {
  const { db } = services
  const hasTime = limitTime(BUDGET_MS)
  const at = (ms: number) => new Date(now.getTime() + ms)
  const [clock] = await beat(db, { now, before: at(-AWAY_MS), after: at(AWAY_MS) })
  const circumstances = { now, isBehind, runningSince: clock!.runningSince }
  for (;;) {
    const rules = await selectDueRules(db, {
      now,
      before: at(-EVERY_MS),
      tooFar: at(EVERY_MS),
      unmatchedBefore: at(-UNMATCHED_MS),
      sites: ROUND,
    })
    if (rules.length === 0) return false
    const judged = await checkRound(services, rules, circumstances)
    await markChecked(db, { ids: rules.map(({ id }) => id), judged, now })
    if (!hasTime()) return true
  }
}

/**
 * A failure is logged: the rules behind it, and those of other sites, are checked all the same.
 * @returns ids of rules whose week without a verdict begins anew
 */
async function checkRound(
  services: AlertServices,
  rules: readonly DueRule[],
  circumstances: Circumstances,
): Promise<string[]> {
  const failed = (error: unknown, ruleId?: string) =>
    services.log.warn({ error, ruleId }, 'alerts could not be checked; again in five minutes')
  const measured = await measure(services.db, rules, circumstances.now).catch(failed)
  const judged: string[] = []
  if (!measured) return judged
  for (const rule of rules) {
    const isJudged = await checkRule(services, rule, measured(rule), circumstances).catch(error =>
      failed(error, rule.id),
    )
    if (isJudged) judged.push(rule.id)
  }
  return judged
}

/** @param isBehind tells whether hits wait to be stored */
export const alertJobs = (
  services: Pick<AlertServices, 'config' | 'log'>,
  isBehind: () => Promise<boolean>,
): Job[] => [
  {
    name: 'alerts',
    everyMs: MINUTE_MS,
    run: async ({ db }, now) => checkRules({ ...services, db }, now, await isBehind()),
  },
  {
    name: 'forget conversions of alerts',
    everyMs: HOUR_MS,
    run: ({ db }, now) => forgetConversions(db, { before: new Date(now.getTime() - KEPT_MS) }),
  },
]
