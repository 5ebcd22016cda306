import { validate as isUuid } from 'uuid'
import type { Audit } from '../../audit/audit.ts'
import type { Queryable, Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { AppError, invalidField } from '../../errors.ts'
import { findGoals } from '../../goals/find-goal.ts'
import { type PageUrl, paginate, windowOf } from '../../schema/pagination.ts'
import type { Services } from '../../services.ts'
import { lockSite } from '../../sites/lock-site.ts'
import type { SiteRecord } from '../../sites/schema.ts'
import { selectEndpoints, updateWatching } from '../webhooks/endpoint-rows.ts'
import type { Condition } from './conditions.ts'
import { tellTest } from './messages.ts'
import { deleteRule, endIncident, insertRule, type RuleRow, selectRules, updateRule } from './rule-rows.ts'
import { type Alert, ChangeAlert, type CreateAlert, type ListIncidents } from './schema.ts'

/** Most alerts of a site. */
export const MOST_ALERTS = 50

type Parts = Pick<Services, 'db' | 'config' | 'now'> & { audit: Audit }
type Site = Pick<SiteRecord, 'siteNo' | 'domain' | 'timezone'>

interface IncidentRow {
  id: string
  ruleId: string
  ruleName: string
  kind: string
  text: string
  value: number
  bound: number
  openedAt: Date
  resolvedAt: Date | null
}

const selectIncidents = query<{ siteNo: number; limit: number; offset: number }, IncidentRow>(
  'list-alert-incidents',
  `select
    id, rule_id as "ruleId", rule_name as "ruleName", kind, text, value, bound, opened_at as "openedAt",
    resolved_at as "resolvedAt"
  from alert_incidents
  where site_no = :siteNo
  order by opened_at desc, id desc
  limit :limit::bigint
  offset :offset::bigint`,
)

const countIncidents = query<{ siteNo: number }, { count: number }>(
  'count-alert-incidents',
  'select count(*)::int as count from alert_incidents where site_no = :siteNo',
)

/** Returns the alerts of a site, the oldest first. */
export async function listAlerts({ db }: Pick<Services, 'db'>, { siteNo }: Site): Promise<Alert[]> {
  return (await selectRules(db, { siteNo, id: null })).map(present)
}

/** Returns a page of the incidents of a site, the newest first. */
export async function listIncidents(
  context: Pick<Services, 'db'> & { pageUrl: PageUrl },
  { siteNo }: Site,
  input: ListIncidents,
) {
  const [rows, [total]] = await Promise.all([
    selectIncidents(context.db, { siteNo, ...windowOf(input) }),
    countIncidents(context.db, { siteNo }),
  ])
  const shown = rows.map(({ ruleId, ruleName, kind, openedAt, resolvedAt, ...row }) => ({
    ...row,
    alert: { id: ruleId, name: ruleName, kind },
    opened_at: openedAt.toISOString(),
    resolved_at: resolvedAt?.toISOString() ?? null,
  }))
  return paginate(context, input, { rows: shown, total: total!.count })
}

/**
 * @throws AppError `validation_failed` for an unknown goal or webhook; `forbidden` when the site has the most alerts;
 * `not_found` when it was deleted meanwhile
 */
export async function createAlert(
  { db, now, audit }: Parts,
  site: Site,
  { name, condition, emails, webhooks }: CreateAlert,
): Promise<Alert> {
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    const { siteNo } = site
    if ((await selectRules(transaction, { siteNo, id: null })).length >= MOST_ALERTS) {
      throw new AppError('forbidden', `The site has ${MOST_ALERTS} alerts, as many as it may`)
    }
    await requireParts(transaction, site, condition, webhooks)
    const written = writtenOf({ name, condition, emails, webhooks })
    const [made] = await insertRule(transaction, { ...written, siteNo, now: now() })
    await updateWatching(transaction, site)
    await record(audit, transaction, site, 'alert.create', made!)
    return made!
  })
  return present(row)
}

/**
 * Changes an alert. Another condition, and switching it off or on, end an open incident without a message.
 * @throws AppError as `createAlert`; `not_found` for an unknown alert
 */
export async function changeAlert(
  { db, now, audit }: Parts,
  site: Site,
  id: string,
  changes: ChangeAlert,
): Promise<Alert> {
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    const before = await find(transaction, site, id)
    const shown = present(before)
    const { name, condition, emails, webhooks } = { ...shown, ...given(changes) }
    const isEnabled = changes.is_enabled ?? before.isEnabled
    await requireParts(transaction, site, changes.condition, changes.webhooks ?? [])
    const isOther = changes.condition !== undefined || isEnabled !== before.isEnabled
    if (isOther) await endIncident(transaction, { ruleId: id, now: now() })
    const [changed] = await updateRule(transaction, {
      id,
      ...writtenOf({ name, condition, emails, webhooks }),
      isEnabled,
      activeSince: isOther ? now() : before.activeSince,
    })
    await updateWatching(transaction, site)
    const names = ChangeAlert.keyof().options.filter(name => changes[name] !== undefined)
    await record(audit, transaction, site, 'alert.change', changed!, { changed: names })
    return changed!
  })
  return present(row)
}

/** Deletes an alert; its incidents stay in the list. @throws AppError `not_found` */
export async function removeAlert({ db, now, audit }: Parts, site: Site, id: string): Promise<void> {
  await db.begin(async transaction => {
    await lockSite(transaction, site)
    const gone = await find(transaction, site, id)
    await endIncident(transaction, { ruleId: id, now: now() })
    await deleteRule(transaction, { id })
    await updateWatching(transaction, site)
    await record(audit, transaction, site, 'alert.delete', gone)
  })
}

/** Sends a test to all that the alert tells. @throws AppError `not_found` */
export async function testAlert({ db, config, now, audit }: Parts, site: Site, id: string): Promise<void> {
  await db.begin(async transaction => {
    const rule = await find(transaction, site, id)
    await tellTest(transaction, config, { ...rule, domain: site.domain, timezone: site.timezone }, now())
    await record(audit, transaction, site, 'alert.test', rule)
  })
}

async function find(db: Queryable, { siteNo }: Site, id: string): Promise<RuleRow> {
  const [row] = isUuid(id) ? await selectRules(db, { siteNo, id }) : []
  if (!row) throw new AppError('not_found', 'No such alert')
  return row
}

async function requireParts(
  transaction: Transaction,
  { siteNo }: Site,
  condition: Condition | undefined,
  webhooks: readonly string[],
): Promise<void> {
  if (condition?.kind === 'goal') {
    const [goal] = isUuid(condition.goal) ? await findGoals(transaction, siteNo, [condition.goal]) : []
    if (!goal) throw invalidField('condition.goal', 'is not a goal of this site')
  }
  const known = new Set((await selectEndpoints(transaction, { siteNo, id: null })).map(({ id }) => id))
  if (!webhooks.every(id => known.has(id)))
    throw invalidField('webhooks', 'must be ids of webhooks of this site')
}

const given = (changes: ChangeAlert): Partial<Alert> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

const writtenOf = ({ name, condition, emails, webhooks }: CreateAlert) => ({
  name,
  kind: condition.kind,
  condition: JSON.stringify(condition),
  goalId: condition.kind === 'goal' ? condition.goal : null,
  emails,
  endpointIds: webhooks,
})

async function record(
  audit: Audit,
  transaction: Transaction,
  { domain }: Site,
  action: 'alert.create' | 'alert.change' | 'alert.delete' | 'alert.test',
  { id, name, kind }: RuleRow,
  details: { changed?: string[] } = {},
): Promise<void> {
  await audit(transaction, {
    action,
    object: { type: 'alert', id },
    details: { name, kind, domain, ...details },
  })
}

function present(row: RuleRow): Alert {
  return {
    id: row.id,
    name: row.name,
    condition: row.condition,
    emails: row.emails,
    webhooks: row.endpointIds,
    is_enabled: row.isEnabled,
    checked_at: row.checkedAt?.toISOString() ?? null,
    open_since: row.openedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  }
}
