import { validate as isUuid } from 'uuid'
import type { Audit } from '../../../access/audit/audit.ts'
import { lockSite } from '../../../access/sites/lock-site.ts'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Caller } from '../../../access/teams/caller.ts'
import { lockTeam } from '../../../access/teams/lock-team.ts'
import type { Transaction } from '../../../platform/db/connect.ts'
import { AppError, invalidField } from '../../../platform/errors.ts'
import type { Language } from '../../../platform/mail/languages.ts'
import type { Services } from '../../../platform/services.ts'
import { findGoals } from '../../../stats/goals/find-goal.ts'
import { removeUnused } from '../recipients/recipient-rows.ts'
import { selectEndpoints, updateWatching } from '../webhooks/endpoint-rows.ts'
import { admitAddresses } from './addresses.ts'
import { type Alert, ChangeAlert, type CreateAlert } from './alert-schema.ts'
import type { Condition } from './conditions.ts'
import { findAlert, presentAlerts } from './list-alerts.ts'
import { deleteRule, endIncident, insertRule, type RuleRow, selectRules, updateRule } from './rule-rows.ts'

/** Most alerts of a site. */
export const MOST_ALERTS = 50

type Parts = Pick<Services, 'db' | 'config' | 'now'> & { audit: Audit }
type Site = Pick<SiteRecord, 'siteNo' | 'id' | 'teamId' | 'domain'>

/**
 * Makes an alert. Its addresses are asked before they get mails.
 * @throws AppError `validation_failed` for an unknown goal or webhook; `forbidden` when the site has the most alerts or recipients, and for
 * addresses without a mail server; `rate_limited` when too many addresses were asked; `not_found` when the site was deleted meanwhile
 */
export async function createAlert(
  { db, config, now, audit }: Parts,
  { userId }: Pick<Caller, 'userId'>,
  site: Site,
  { name, condition, emails, webhooks, language }: CreateAlert,
): Promise<Alert> {
  return db.begin(async transaction => {
    await lockTeam(transaction, site.teamId)
    await lockSite(transaction, site)
    const { siteNo } = site
    if ((await selectRules(transaction, { siteNo, id: null })).length >= MOST_ALERTS) {
      throw new AppError('forbidden', `The site has ${MOST_ALERTS} alerts, as many as it may`)
    }
    await requireParts(transaction, site, condition, webhooks)
    const at = now()
    const named = { addresses: emails, before: [], language, createdBy: userId, now: at }
    await admitAddresses(transaction, config, site, named)
    const written = writtenOf({ name, condition, emails, webhooks })
    const [made] = await insertRule(transaction, { ...written, siteNo, now: at })
    await updateWatching(transaction, site)
    await record(audit, transaction, site, 'alert.create', made!)
    return presentOne(transaction, made!)
  })
}

/**
 * Changes an alert. Another condition, and switching it off or on, end an open incident without a message. Its addresses are asked as in
 * `createAlert` when they are given or it is switched on.
 * @throws AppError as `createAlert`; `not_found` for an unknown alert
 */
export async function changeAlert(
  { db, config, now, audit }: Parts,
  { userId }: Pick<Caller, 'userId'>,
  site: Site,
  id: string,
  changes: ChangeAlert,
): Promise<Alert> {
  return db.begin(async transaction => {
    await lockTeam(transaction, site.teamId)
    await lockSite(transaction, site)
    const before = await findAlert(transaction, site, id)
    const after = {
      name: changes.name ?? before.name,
      condition: changes.condition ?? before.condition,
      emails: changes.emails ?? before.emails,
      webhooks: changes.webhooks ?? before.endpointIds,
    }
    const isEnabled = changes.is_enabled ?? before.isEnabled
    await requireParts(transaction, site, changes.condition, changes.webhooks ?? [])
    const isOther = changes.condition !== undefined || isEnabled !== before.isEnabled
    const at = now()
    if (isOther) await endIncident(transaction, { ruleId: id, now: at })
    const [changed] = await updateRule(transaction, {
      id,
      ...writtenOf(after),
      isEnabled,
      activeSince: isOther ? at : before.activeSince,
    })
    // Those that go make room for those that come.
    await removeUnused(transaction, { siteNo: site.siteNo, addresses: before.emails, now: at })
    // Who is named by an alert that was off, as after an import of the team, may never have been asked.
    if (changes.emails || (isEnabled && !before.isEnabled)) {
      const language: Language = changes.language ?? 'en'
      const named = { addresses: after.emails, before: before.emails, language, createdBy: userId, now: at }
      await admitAddresses(transaction, config, site, named)
    }
    await updateWatching(transaction, site)
    const names = ChangeAlert.keyof().options.filter(name => changes[name] !== undefined)
    await record(audit, transaction, site, 'alert.change', changed!, { changed: names })
    return presentOne(transaction, changed!)
  })
}

/** Deletes an alert; its incidents stay in the list. @throws AppError `not_found` */
export async function removeAlert({ db, now, audit }: Parts, site: Site, id: string): Promise<void> {
  await db.begin(async transaction => {
    await lockSite(transaction, site)
    const gone = await findAlert(transaction, site, id)
    const at = now()
    await endIncident(transaction, { ruleId: id, now: at })
    await deleteRule(transaction, { id })
    await removeUnused(transaction, { siteNo: site.siteNo, addresses: gone.emails, now: at })
    await updateWatching(transaction, site)
    await record(audit, transaction, site, 'alert.delete', gone)
  })
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

async function presentOne(transaction: Transaction, row: RuleRow): Promise<Alert> {
  const [shown] = await presentAlerts(transaction, [row])
  return shown!
}

const writtenOf = ({ name, condition, emails, webhooks }: Omit<CreateAlert, 'language'>) => ({
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
  action: 'alert.create' | 'alert.change' | 'alert.delete',
  { id, name, kind }: RuleRow,
  details: { changed?: string[] } = {},
): Promise<void> {
  await audit(transaction, {
    action,
    object: { type: 'alert', id },
    details: { name, kind, domain, ...details },
  })
}
