import { randomUUID } from 'node:crypto'
import type { Config } from '../../../platform/config/config.ts'
import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { Language } from '../../../platform/mail/languages.ts'
import { letter, type Paragraph } from '../../../platform/mail/letter.ts'
import { plain } from '../../../platform/mail/plain.ts'
import { queueMails } from '../../../platform/mail/queue.ts'
import type { Services } from '../../../platform/services.ts'
import { namesOf } from '../devices.ts'
import type { Client } from '../sessions.ts'
import { type Notice, type NoticeKind, noticeTexts, type Remedy } from './notice-texts.ts'

/** Who gets a mail about a login. */
export interface Addressee {
  email: string
  /** null: not known yet, so English. */
  language: Language | null
}

type Parts = Pick<Services, 'config' | 'now'>

const REMEDIES: Record<NoticeKind, Remedy> = {
  new_browser: 'secure',
  password: 'get_in',
  reset: 'get_in',
  recover: 'ask',
  factor: 'secure',
  no_factor: 'secure',
  codes: 'secure',
  passkey: 'secure',
  no_passkey: 'secure',
  sign_on: 'secure',
  no_sign_on: 'secure',
  address_asked: 'secure',
  address: 'ask',
  token: 'token',
  token_of_token: 'token',
  owner: 'owner',
}

const PAGES: Record<Remedy, string> = {
  secure: '/account/security',
  get_in: '/reset',
  ask: '/login',
  token: '/team/tokens',
  owner: '/team',
}

/**
 * Queues mails about a change, in the transaction that makes it. Without a mail server, none is sent.
 * @param key the same for changes that one mail tells of
 */
export async function queueNotice(
  db: Queryable,
  { config, now }: Parts,
  addressees: readonly Addressee[],
  { notice, origin, key = randomUUID() }: { notice: Notice; origin: Client; key?: string },
): Promise<void> {
  if (!config.mail) return
  const mails = addressees.map(({ email, language }) => ({
    address: email,
    recipientId: null,
    language: language ?? 'en',
    ...mailOf(config, notice, { email, language, origin, at: now() }),
  }))
  await queueMails(db, { key: `login/${key}`, siteNo: null }, mails, now())
}

const selectAddressee = query<{ loginId: string }, Addressee>(
  'find-addressee-of-login',
  'select email, language from logins where id = :loginId',
)

/** As `queueNotice`, to the person of a login. */
export async function tellLogin(
  db: Queryable,
  services: Parts,
  loginId: string,
  news: Parameters<typeof queueNotice>[3],
): Promise<void> {
  if (!services.config.mail) return
  await queueNotice(db, services, await selectAddressee(db, { loginId }), news)
}

function mailOf(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  notice: Notice,
  { email, language, origin, at }: Addressee & { origin: Client; at: Date },
): { subject: string; paragraphs: Paragraph[] } {
  const texts = noticeTexts(language ?? 'en')
  const { host } = new URL(baseUrl)
  const remedy = REMEDIES[notice.kind]
  const { advice, label } = texts.remedies[remedy]
  const sentence = texts.sentences[notice.kind] as (notice: Notice) => string
  const time = new Intl.DateTimeFormat(texts.locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at)
  return {
    subject: `${texts.subjects[notice.kind]}: ${host}`,
    paragraphs: [
      sentence(printable(notice)),
      texts.login(email, host),
      [texts.when(time), ...placeOf(origin, texts)].join(' · '),
      advice,
      { label, url: baseUrl + PAGES[remedy] },
    ],
  }
}

function placeOf(origin: Client, texts: ReturnType<typeof noticeTexts>): string[] {
  const { browser, system } = namesOf(origin.userAgent)
  return [
    texts.device(browser === '' ? texts.unknownBrowser : browser, system),
    ...(origin.network === '' ? [] : [texts.network(origin.network)]),
  ]
}

/** Names are of other people, too: each is one short line. */
const printable = (notice: Notice): Notice =>
  Object.fromEntries(
    Object.entries(notice).map(([field, value]) => [field, field === 'kind' ? value : plain(value, MOST)]),
  ) as unknown as Notice

/** Characters of a name or an address in a mail. */
const MOST = 255

/** Returns the mail with the link that confirms a new address of a login. */
export function confirmationOf(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { email, language }: Addressee,
  secret: string,
): { subject: string; text: string; html: string } {
  const { confirmation } = noticeTexts(language ?? 'en')
  const { host } = new URL(baseUrl)
  return {
    subject: `${confirmation.subject}: ${host}`,
    ...letter(
      [
        confirmation.text(email, host),
        { label: confirmation.button, url: `${baseUrl}/confirm-address#${secret}` },
        confirmation.note,
      ],
      language ?? 'en',
    ),
  }
}
