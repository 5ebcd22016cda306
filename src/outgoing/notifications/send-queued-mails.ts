import { createHash } from 'node:crypto'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import { handOver } from '../../platform/mail/hand-over.ts'
import { letter, type Paragraph } from '../../platform/mail/letter.ts'
import type { QueuedMail } from '../../platform/mail/queue.ts'
import { senderHost } from '../../platform/mail/sender-host.ts'
import type { Services } from '../../platform/services.ts'
import type { Job } from '../../storage/rollups/scheduler.ts'
import { linkTo, unsubscribeHeaders } from './recipients/links.ts'

/** Mails of one round. */
const ROUND = 20
/** A mail that could not be sent for so long is no news any more. */
const LATE_MS = DAY_MS
const PAUSE_MS = 2 * MINUTE_MS
const KEPT_MS = 30 * DAY_MS

interface Taken extends QueuedMail {
  key: string
  isWanted: boolean
}

const takeMails = query<{ now: Date; since: Date; tooFar: Date; limit: number }, Taken>('take-queued-mails')

/** Gives back a mail that the server has not taken. */
const returnMail = query<{ key: string; address: string; nextAt: Date }>(
  'return-queued-mail',
  'update queued_mails set sent_at = null, next_at = :nextAt where key = :key and address = :address',
)

type MailServices = Pick<Services, 'config' | 'log'> & { db: Db }

/** Sends mails that wait. Without a mail server they wait for a day. */
export async function sendQueuedMails(services: MailServices, now: Date): Promise<void> {
  if (!services.config.mail) return
  const mails = await takeMails(services.db, {
    now,
    since: new Date(now.getTime() - LATE_MS),
    tooFar: new Date(now.getTime() + 2 * PAUSE_MS),
    limit: ROUND,
  })
  await Promise.all(mails.filter(({ isWanted }) => isWanted).map(mail => send(services, mail, now)))
}

async function send(services: MailServices, mail: Taken, now: Date): Promise<void> {
  const { config } = services
  const { key, address: to, recipientId, subject, paragraphs, language } = mail
  const farewell: Paragraph[] = recipientId
    ? [{ label: UNSUBSCRIBE[language] ?? UNSUBSCRIBE.en!, url: linkTo(config, 'unsubscribe', recipientId) }]
    : []
  const { outcome } = await handOver(services, {
    to,
    subject,
    // The same in each attempt; each address has a mail of its own.
    messageId: `<${key.replaceAll('/', '-')}-${digestOf(to)}@${senderHost(config)}>`,
    ...letter([...paragraphs, ...farewell], language),
    ...(recipientId && { headers: unsubscribeHeaders(config, recipientId) }),
  })
  // Only where the server certainly does not have it. It is tried again in a while.
  const nextAt = new Date(now.getTime() + PAUSE_MS)
  if (outcome === 'failed') await returnMail(services.db, { key, address: to, nextAt })
}

const digestOf = (address: string) => createHash('sha256').update(address).digest('hex').slice(0, 12)

const UNSUBSCRIBE: Record<string, string> = {
  en: 'Unsubscribe from all mails about this site',
  de: 'Alle Mails über diese Website abbestellen',
}

const forgetMails = query<{ before: Date }>(
  'forget-queued-mails',
  'delete from queued_mails where created_at < :before',
)

export const MAIL_JOBS: readonly Job[] = [
  {
    name: 'forget queued mails',
    everyMs: HOUR_MS,
    run: ({ db }, now) => forgetMails(db, { before: new Date(now.getTime() - KEPT_MS) }),
  },
]
