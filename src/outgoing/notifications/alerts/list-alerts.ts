import { validate as isUuid } from 'uuid'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Queryable } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { type PageUrl, paginate, windowOf } from '../../../platform/schema/pagination.ts'
import type { Services } from '../../../platform/services.ts'
import { readStates } from './addresses.ts'
import type { Alert, ListIncidents } from './alert-schema.ts'
import { countIncidents, type Resolution, selectIncidents } from './incident-rows.ts'
import { type RuleRow, selectRules } from './rule-rows.ts'

type Site = Pick<SiteRecord, 'siteNo'>

/** Returns the alerts of a site, the oldest first. */
export async function listAlerts({ db }: Pick<Services, 'db'>, { siteNo }: Site): Promise<Alert[]> {
  return presentAlerts(db, await selectRules(db, { siteNo, id: null }))
}

/** @throws AppError `not_found` */
export async function findAlert(db: Queryable, { siteNo }: Site, id: string): Promise<RuleRow> {
  const [row] = isUuid(id) ? await selectRules(db, { siteNo, id }) : []
  if (!row) throw new AppError('not_found', 'No such alert')
  return row
}

/** @param rows of one site */
export async function presentAlerts(db: Queryable, rows: readonly RuleRow[]): Promise<Alert[]> {
  const [first] = rows
  if (!first) return []
  const stateOf = await readStates(
    db,
    first.siteNo,
    rows.flatMap(({ emails }) => emails),
  )
  return rows.map(row => ({
    id: row.id,
    name: row.name,
    condition: row.condition,
    emails: row.emails,
    recipients: row.emails.map(address => ({ address, state: stateOf(address) })),
    webhooks: row.endpointIds,
    is_enabled: row.isEnabled,
    checked_at: row.checkedAt?.toISOString() ?? null,
    open_since: row.openedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  }))
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
  const shown = rows.map(
    ({ ruleId, ruleName, kind, goalName, openedAt, resolvedAt, resolution, ...row }) => ({
      ...row,
      alert: { id: ruleId, name: ruleName, kind },
      goal_name: goalName,
      opened_at: openedAt.toISOString(),
      resolved_at: resolvedAt?.toISOString() ?? null,
      resolution: resolution as Resolution | null,
    }),
  )
  return paginate(context, input, { rows: shown, total: total!.count })
}
