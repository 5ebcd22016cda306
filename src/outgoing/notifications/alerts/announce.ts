import { randomUUID } from 'node:crypto'
import type { Config } from '../../../platform/config/config.ts'
import type { Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { Language } from '../../../platform/mail/languages.ts'
import type { Paragraph } from '../../../platform/mail/letter.ts'
import { plain } from '../../../platform/mail/plain.ts'
import { queueMails } from '../../../platform/mail/queue.ts'
import { formatInstant } from '../../../platform/time/local-time.ts'
import type { Resolution } from './incident-rows.ts'
import type { RuleRow } from './rule-rows.ts'
import { type AlertTexts, alertTexts, type Facts, sentenceOf } from './texts/alert-texts.ts'
import { spanText } from './texts/span-text.ts'

const selectAgreed = query<
  { siteNo: number; addresses: string[] },
  { id: string; address: string; language: string }
>(
  'list-alert-recipients',
  `select id, address, language
  from mail_recipients
  where site_no = :siteNo and address = any(:addresses::text[]) and {mail_recipient_agrees}
  order by address`,
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

type Rule = Pick<RuleRow, 'id' | 'siteNo' | 'name' | 'kind' | 'emails' | 'endpointIds'> & {
  domain: string
  timezone: string
}

/** What the messages are about. */
interface News {
  /** Of the incident. */
  id: string
  state: 'opened' | 'resolved' | 'test'
  openedAt: Date
  value: number
  bound: number
  /** The sentence in English. */
  text: string
  /** What the sentence in other languages is made of; null: the English one is shown. */
  facts: Facts | null
  over?: { at: Date; why: Resolution }
}

/** Queues the messages to webhooks and agreed addresses of a rule, in the transaction that opens or resolves the incident. */
export async function announce(
  transaction: Transaction,
  config: Pick<Config, 'baseUrl'>,
  rule: Rule,
  news: News,
  now: Date,
): Promise<void> {
  const { siteNo, emails, endpointIds } = rule
  const { id, state } = news
  if (endpointIds.length > 0) {
    const data = JSON.stringify(eventData(rule, news))
    const key = `alert.${state}/${id}`
    await insertEvent(transaction, { siteNo, type: `alert.${state}`, key, at: now, endpointIds, data })
  }
  if (emails.length === 0) return
  const agreed = await selectAgreed(transaction, { siteNo, addresses: emails })
  const mails = agreed.map(({ id: recipientId, address, language }) => ({
    recipientId,
    address,
    language,
    ...mailOf(config, rule, news, language as Language),
  }))
  await queueMails(transaction, { key: `alert/${id}/${state}`, siteNo }, mails, now)
}

/** Queues a test to the webhooks and agreed addresses of a rule. */
export const announceTest = (
  transaction: Transaction,
  config: Pick<Config, 'baseUrl'>,
  rule: Rule,
  now: Date,
) =>
  announce(
    transaction,
    config,
    rule,
    {
      ...{ id: randomUUID(), state: 'test', openedAt: now, value: 0, bound: 0, facts: null },
      text: alertTexts('en').test,
    },
    now,
  )

function eventData(rule: Rule, { id, openedAt, value, bound, text, over }: News) {
  return {
    incident_id: id,
    alert: { id: rule.id, name: rule.name, kind: rule.kind },
    text,
    value,
    bound,
    opened_at: openedAt.toISOString(),
    resolved_at: over?.at.toISOString() ?? null,
    resolution: over?.why ?? null,
    duration_seconds: over ? Math.round((over.at.getTime() - openedAt.getTime()) / 1_000) : null,
  }
}

function mailOf(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  rule: Rule,
  news: News,
  language: Language,
): { subject: string; paragraphs: Paragraph[] } {
  const texts = alertTexts(language)
  const [name, domain] = [plain(rule.name, 100), plain(rule.domain)]
  return {
    subject: `${texts.subjects[news.state]}: ${name} (${domain})`,
    paragraphs: [
      ...sentences(texts, { ...rule, name, domain }, news, language),
      { label: texts.open, url: `${baseUrl}/sites/${encodeURIComponent(rule.domain)}` },
    ],
  }
}

function sentences(
  texts: AlertTexts,
  { name, domain, timezone }: Pick<Rule, 'name' | 'domain' | 'timezone'>,
  { state, text, facts, openedAt, over }: News,
  language: Language,
): string[] {
  const what = state === 'test' ? texts.test : facts ? sentenceOf(facts, language) : text
  const time = (at: Date) => formatInstant(timezone, at.getTime())
  if (!over) return [texts.opened(name, domain, what), texts.since(time(openedAt))]
  const reason = texts.reasons[over.why]
  const span = spanText(over.at.getTime() - openedAt.getTime())
  return [
    texts.over(name, domain),
    ...(reason ? [reason] : []),
    texts.lasted(span, time(openedAt), time(over.at)),
    texts.began(what),
  ]
}
