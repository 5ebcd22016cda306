import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/lib/time.ts'
import type { Measured } from './judge.ts'
import type { DueRule } from './rule-rows.ts'
import { sameHourBefore, startOfLastHour } from './windows.ts'

const measureLastHour = query<
  { siteNos: number[]; start: Date; end: Date },
  { siteNo: number; pageviews: number; errors: number; visitors: number }
>('measure-last-hour')

const measureHours = query<
  { siteNos: number[]; starts: Date[] },
  { siteNo: number; start: Date; pageviews: number; visitors: number }
>('measure-hours')

const measureLastHits = query<
  { siteNos: number[]; since: Date; now: Date },
  { siteNo: number; at: Date | null }
>('measure-last-hits')

const measureChurn = query<
  { ruleIds: string[]; siteNos: number[]; starts: Date[]; now: Date },
  { ruleId: string; lost: number; before: number }
>('measure-churn')

const countConversions = query<
  { ruleIds: string[]; siteNos: number[]; goalIds: string[]; starts: Date[]; now: Date },
  { ruleId: string; count: number }
>(
  'count-alert-conversions',
  `select wanted.rule_id as "ruleId", counted.count
  from unnest(:ruleIds::uuid[], :siteNos::int[], :goalIds::uuid[], :starts::timestamptz[])
    as wanted (rule_id, site_no, goal_id, start)
  cross join lateral (
    select count(*)::int as count
    from goal_conversions
    where site_no = wanted.site_no and goal_id = wanted.goal_id and at > wanted.start and at <= :now
  ) as counted`,
)

const LONGEST_SILENCE_MS = 7 * DAY_MS
const NO_TRAFFIC = { visitors: 0, pageviews: 0, errors: 0 }

/** Start of the window of a rule that counts backwards from now, and never from before the rule was made. */
function windowStart({ condition, activeSince }: DueRule, now: Date): Date {
  const hours =
    condition.kind === 'mrr_churn' ? 24 * condition.days : condition.kind === 'goal' ? condition.hours : 0
  return new Date(Math.max(now.getTime() - hours * HOUR_MS, activeSince.getTime()))
}

const sitesOf = (rules: readonly DueRule[]) => [...new Set(rules.map(({ siteNo }) => siteNo))]

/** Reads what the rules of some sites ask for, with one statement for each kind of number. */
export async function measure(
  db: Db,
  rules: readonly DueRule[],
  now: Date,
): Promise<(rule: DueRule) => Measured> {
  const ofKind = (...kinds: string[]) => rules.filter(({ kind }) => kinds.includes(kind))
  const traffic = ofKind('traffic_spike', 'traffic_drop')
  const recent = await readLastHour(db, sitesOf([...traffic, ...ofKind('error_rate', 'error_count')]), now)
  const before = await readHoursBefore(db, traffic, now)
  const last = await readLastHits(db, sitesOf(ofKind('no_hits')), now)
  const churn = await readChurn(db, ofKind('mrr_churn'), now)
  const conversions = await readConversions(db, ofKind('goal'), now)
  return ({ id, siteNo }) => ({
    lastHour: recent.get(siteNo) ?? NO_TRAFFIC,
    weeksBefore: before.get(siteNo) ?? [],
    conversions: conversions.get(id) ?? 0,
    lostMrr: churn.get(id)?.lost ?? 0,
    mrrBefore: churn.get(id)?.before ?? 0,
    lastHitAt: last.get(siteNo),
  })
}

async function readLastHour(
  db: Db,
  siteNos: number[],
  now: Date,
): Promise<Map<number, Measured['lastHour']>> {
  if (siteNos.length === 0) return new Map()
  const start = startOfLastHour(now.getTime())
  const rows = await measureLastHour(db, { siteNos, start: new Date(start), end: new Date(start + HOUR_MS) })
  return new Map(rows.map(({ siteNo, ...hour }) => [siteNo, hour]))
}

async function readHoursBefore(
  db: Db,
  rules: readonly DueRule[],
  now: Date,
): Promise<Map<number, Measured['weeksBefore']>> {
  const start = startOfLastHour(now.getTime())
  const sites = new Map(rules.map(rule => [rule.siteNo, rule]))
  // Weeks before the first hit say nothing of what is usual.
  const wanted = [...sites.values()].flatMap(({ siteNo, timezone, firstEventAt }) =>
    sameHourBefore(timezone, start)
      .filter(at => firstEventAt !== null && at >= firstEventAt.getTime())
      .map(at => ({ siteNo, start: new Date(at) })),
  )
  const weeks = new Map<number, Measured['weeksBefore']>()
  if (wanted.length === 0) return weeks
  const rows = await measureHours(db, {
    siteNos: wanted.map(({ siteNo }) => siteNo),
    starts: wanted.map(each => each.start),
  })
  for (const { siteNo, pageviews, visitors } of rows)
    weeks.set(siteNo, [...(weeks.get(siteNo) ?? []), { pageviews, visitors }])
  return weeks
}

async function readLastHits(db: Db, siteNos: number[], now: Date): Promise<Map<number, number>> {
  if (siteNos.length === 0) return new Map()
  const since = new Date(now.getTime() - LONGEST_SILENCE_MS)
  const rows = await measureLastHits(db, { siteNos, since, now })
  return new Map(rows.flatMap(({ siteNo, at }) => (at ? [[siteNo, at.getTime()]] : [])))
}

async function readChurn(db: Db, rules: readonly DueRule[], now: Date) {
  if (rules.length === 0) return new Map<string, { lost: number; before: number }>()
  const rows = await measureChurn(db, {
    ruleIds: rules.map(({ id }) => id),
    siteNos: rules.map(({ siteNo }) => siteNo),
    starts: rules.map(rule => windowStart(rule, now)),
    now,
  })
  return new Map(rows.map(({ ruleId, ...churn }) => [ruleId, churn]))
}

async function readConversions(db: Db, rules: readonly DueRule[], now: Date): Promise<Map<string, number>> {
  if (rules.length === 0) return new Map()
  const rows = await countConversions(db, {
    ruleIds: rules.map(({ id }) => id),
    siteNos: rules.map(({ siteNo }) => siteNo),
    goalIds: rules.map(({ goalId }) => goalId!),
    starts: rules.map(rule => windowStart(rule, now)),
    now,
  })
  return new Map(rows.map(({ ruleId, count }) => [ruleId, count]))
}
