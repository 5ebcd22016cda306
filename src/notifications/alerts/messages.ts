import { randomUUID } from 'node:crypto'
import type { Config } from '../../config.ts'
import type { Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DAY_MS } from '../../lib/time.ts'
import { formatInstant } from '../../time/local-time.ts'
import type { RuleRow } from './rule-rows.ts'
import { spanText } from './wording.ts'

/** Mails of alerts that a site sends in 24 hours: their texts are the team's, so it could send anything to anybody. */
const MOST_MAILS = 200

const insertMails = query<{
  incidentId: string
  state: string
  addresses: string[]
  siteNo: number
  subject: string
  text: string
  now: Date
  since: Date
  most: number
}>(
  'insert-alert-mails',
  `insert into alert_mails (incident_id, state, address, site_no, subject, text, created_at, next_at)
  select :incidentId::uuid, :state::text, address, :siteNo::int, :subject::text, :text::text, :now::timestamptz,
    :now::timestamptz
  from unnest(:addresses::text[]) with ordinality as given (address, position)
  where
    position + (
      select count(*) from alert_mails where site_no = :siteNo::int and created_at > :since::timestamptz
    ) <= :most::int
  on conflict do nothing`,
)

const insertEvent = query<{
  siteNo: number
  type: string
  key: string
  at: Date
  data: string
  endpointIds: string[]
}>(
  'insert-alert-event',
  `insert into outgoing_events (site_no, type, key, occurred_at, created_at, data, endpoint_ids)
  values (:siteNo, :type, :key, :at::timestamptz, :at::timestamptz, :data, :endpointIds::uuid[])
  on conflict (site_no, key) do nothing`,
)

interface Told {
  id: string
  openedAt: Date
  text: string
  value: number
  bound: number
}

type Rule = Pick<RuleRow, 'id' | 'siteNo' | 'name' | 'kind' | 'emails' | 'endpointIds'> & {
  domain: string
  timezone: string
}

type State = 'opened' | 'resolved' | 'test'

/** Tells of a new incident, in the transaction that opens it. */
export const tellOpened = (tx: Transaction, config: Config, rule: Rule, incident: Told, now: Date) =>
  tell(tx, config, rule, { ...incident, state: 'opened', resolvedAt: null, now })

/** Tells that an incident is over, in the transaction that resolves it. */
export const tellResolved = (tx: Transaction, config: Config, rule: Rule, incident: Told, now: Date) =>
  tell(tx, config, rule, { ...incident, state: 'resolved', resolvedAt: now, now })

/** Sends a test to all that the rule tells. */
export const tellTest = (tx: Transaction, config: Config, rule: Rule, now: Date) =>
  tell(tx, config, rule, {
    id: randomUUID(),
    openedAt: now,
    resolvedAt: null,
    text: 'This is a test.',
    value: 0,
    bound: 0,
    state: 'test',
    now,
  })

async function tell(
  tx: Transaction,
  config: Config,
  rule: Rule,
  told: Told & { state: State; resolvedAt: Date | null; now: Date },
): Promise<void> {
  const { siteNo, domain, emails, endpointIds } = rule
  const { id, state, now, openedAt, resolvedAt, text, value, bound } = told
  const seconds = resolvedAt ? Math.round((resolvedAt.getTime() - openedAt.getTime()) / 1_000) : null
  if (endpointIds.length > 0) {
    await insertEvent(tx, {
      siteNo,
      type: `alert.${state}`,
      key: `alert.${state}/${id}`,
      at: now,
      endpointIds,
      data: JSON.stringify({
        incident_id: id,
        alert: { id: rule.id, name: rule.name, kind: rule.kind },
        text,
        value,
        bound,
        opened_at: openedAt.toISOString(),
        resolved_at: resolvedAt?.toISOString() ?? null,
        duration_seconds: seconds,
      }),
    })
  }
  if (emails.length === 0) return
  const words = { opened: 'Alert', resolved: 'Over', test: 'Test' }
  await insertMails(tx, {
    incidentId: id,
    state,
    addresses: emails,
    siteNo,
    subject: `${words[state]}: ${rule.name} (${domain})`,
    text: mailText(rule, told, `${config.baseUrl}/sites/${encodeURIComponent(domain)}`),
    now,
    since: new Date(now.getTime() - DAY_MS),
    most: MOST_MAILS,
  })
}

/** Paragraphs of a mail, divided by empty lines; the last one is the address of the site's page. */
function mailText(
  { name, domain, timezone }: Rule,
  { state, text, openedAt, resolvedAt }: Told & { state: State; resolvedAt: Date | null },
  page: string,
): string {
  const opened = formatInstant(timezone, openedAt.getTime())
  const paragraphs =
    state === 'resolved' && resolvedAt
      ? [
          `The alert “${name}” of ${domain} is over.`,
          `It lasted ${spanText(resolvedAt.getTime() - openedAt.getTime())}, from ${opened} to ${formatInstant(timezone, resolvedAt.getTime())}.`,
          `It had begun with: ${text}`,
        ]
      : [`The alert “${name}” of ${domain}: ${text}`, `Time: ${opened}`]
  return [...paragraphs, page].join('\n\n')
}
