import type { Config } from '../../../platform/config/config.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { DAY_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import { announce } from './announce.ts'
import { type Circumstances, conclude } from './conclude.ts'
import { openIncident, type Resolution, resolveIncident } from './incident-rows.ts'
import type { Measured, Verdict } from './judge.ts'
import { type DueRule, setClearSince } from './rule-rows.ts'
import { type Facts, sentenceOf } from './texts/alert-texts.ts'

/** How long traffic and errors must be normal before an incident is over. */
const CALM_MS = 15 * MINUTE_MS
/** The service counts as away when no check ran for so long, and so does a rule that was not checked, such as without an active plan. */
export const AWAY_MS = 20 * MINUTE_MS
/** An incident that could not be judged for so long is over: otherwise the rule could never open another one. */
const UNKNOWN_MS = 7 * DAY_MS

interface AlertStores {
  db: Db
  config: Pick<Config, 'baseUrl'>
}

/**
 * Opens an incident of a rule, or ends it.
 * @returns whether the rule could be judged, or its week without a verdict begins anew
 */
export async function checkRule(
  stores: AlertStores,
  rule: DueRule,
  measured: Measured,
  circumstances: Circumstances,
): Promise<boolean> {
  const { now } = circumstances
  const isOpen = rule.openedAt !== null
  if (rule.kind === 'goal' && rule.goalName === null) {
    if (isOpen) await resolve(stores, rule, 'goal_deleted', now)
    return false
  }
  const verdict = conclude(rule, measured, circumstances)
  if (!verdict) {
    if (wasAway(rule, now)) return true
    if (isOpen && wasUnknownForLong(rule, circumstances)) await resolve(stores, rule, 'too_little_data', now)
    return false
  }
  if (!isOpen) {
    if (verdict.isMet) await open(stores, rule, verdict, now)
  } else if (verdict.isMet) {
    if (rule.clearSince) await setClearSince(stores.db, { id: rule.id, at: null })
  } else {
    await endWhenCalm(stores, rule, now)
  }
  return true
}

const wasAway = ({ checkedAt }: DueRule, now: Date): boolean =>
  checkedAt !== null && now.getTime() - checkedAt.getTime() > AWAY_MS

/** Only while the service was running all the time: after an outage an incident gets another chance to be judged. */
function wasUnknownForLong({ openedAt, judgedAt }: DueRule, { now, runningSince }: Circumstances): boolean {
  const known = Math.max(openedAt!.getTime(), judgedAt?.getTime() ?? 0, runningSince.getTime())
  return now.getTime() - known >= UNKNOWN_MS
}

async function endWhenCalm(stores: AlertStores, rule: DueRule, now: Date): Promise<void> {
  const { id, clearSince } = rule
  // A time in the future was written by a clock that was wrong.
  const isKnown = clearSince !== null && clearSince <= now
  const calmMs = isKnown ? now.getTime() - clearSince.getTime() : 0
  if (calmMs >= calmOf(rule)) await resolve(stores, rule, 'normal', now)
  else if (!isKnown) await setClearSince(stores.db, { id, at: now })
}

const calmOf = ({ kind }: DueRule) => (kind.startsWith('traffic') || kind.startsWith('error') ? CALM_MS : 0)

async function open({ db, config }: AlertStores, rule: DueRule, verdict: Verdict, now: Date): Promise<void> {
  const { id: ruleId, activeSince, condition, currency, goalName } = rule
  const { value, bound } = verdict
  const facts: Facts = { condition, value, bound, currency, goalName }
  const text = sentenceOf(facts, 'en')
  await db.begin(async transaction => {
    const opened = { ruleId, activeSince, value, bound, currency, goalName, text, now }
    const [incident] = await openIncident(transaction, opened)
    if (!incident) return
    const news = { id: incident.id, state: 'opened' as const, openedAt: now, value, bound, text, facts }
    await announce(transaction, config, rule, news, now)
  })
}

async function resolve(
  { db, config }: AlertStores,
  rule: DueRule,
  why: Resolution,
  now: Date,
): Promise<void> {
  await db.begin(async transaction => {
    const [incident] = await resolveIncident(transaction, { ruleId: rule.id, resolution: why, now })
    if (!incident) return
    await setClearSince(transaction, { id: rule.id, at: null })
    const { condition, currency, ...ended } = incident
    const facts = condition && currency ? { ...ended, condition, currency } : null
    const over = { at: new Date(Math.max(now.getTime(), incident.openedAt.getTime())), why }
    await announce(transaction, config, rule, { ...ended, state: 'resolved', facts, over }, now)
  })
}
