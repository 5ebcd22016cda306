import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import { handOver } from '../../mail/hand-over.ts'
import { letter } from '../../mail/letter.ts'
import type { Services } from '../../services.ts'

/** Mails of one round. */
const ROUND = 20
/** A mail that could not be sent for so long is no news any more. */
const LATE_MS = DAY_MS
const PAUSE_MS = 2 * MINUTE_MS
const KEPT_MS = 30 * DAY_MS

interface AlertMail {
  incidentId: string
  state: string
  address: string
  subject: string
  text: string
}

/**
 * Takes mails that wait, the oldest first. They are taken before they are sent: a mail that is sent twice would say that it
 * happened twice.
 */
const takeMails = query<{ now: Date; since: Date; limit: number }, AlertMail>(
  'take-alert-mails',
  `update alert_mails
  set sent_at = :now
  where
    sent_at is null
    and (incident_id, state, address) in (
      select incident_id, state, address
      from alert_mails
      where sent_at is null and next_at <= :now and created_at > :since
      order by next_at
      limit :limit
      for update skip locked
    )
  returning incident_id as "incidentId", state, address, subject, text`,
)

/** Gives back a mail that the server has not taken. */
const returnMail = query<Pick<AlertMail, 'incidentId' | 'state' | 'address'> & { nextAt: Date }>(
  'return-alert-mail',
  `update alert_mails
  set sent_at = null, next_at = :nextAt
  where incident_id = :incidentId and state = :state and address = :address`,
)

const forgetMails = query<{ before: Date }>(
  'forget-alert-mails',
  'delete from alert_mails where created_at < :before',
)

/** Sends the mails of alerts that wait. Without a mail server they wait for a day. */
export async function sendAlertMails(
  services: Pick<Services, 'config' | 'log'> & { db: Db },
  now: Date,
): Promise<void> {
  const { db, config } = services
  if (!config.mail) return
  const mails = await takeMails(db, { now, since: new Date(now.getTime() - LATE_MS), limit: ROUND })
  if (mails.length === 0) return
  await Promise.all(mails.map(mail => send(services, mail, now)))
  await forgetMails(db, { before: new Date(now.getTime() - KEPT_MS) })
}

async function send(
  services: Pick<Services, 'config' | 'log'> & { db: Db },
  mail: AlertMail,
  now: Date,
): Promise<void> {
  const { incidentId, state, address, subject, text } = mail
  const paragraphs = text.split('\n\n')
  const url = paragraphs.pop()!
  const content = letter([...paragraphs, { label: 'Open the site', url }])
  const { outcome } = await handOver(services, { to: address, subject, ...content })
  // Only where the server certainly does not have it. It is tried again in a while.
  const nextAt = new Date(now.getTime() + PAUSE_MS)
  if (outcome === 'failed') await returnMail(services.db, { incidentId, state, address, nextAt })
}
