import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DAY_MS } from '../../lib/time.ts'
import { letter } from '../../mail/letter.ts'
import { sendMail } from '../../mail/send.ts'
import type { Services } from '../../services.ts'

/** Mails of one round. */
const ROUND = 20
/** A mail that could not be sent for so long is no news any more. */
const LATE_MS = DAY_MS
const KEPT_MS = 30 * DAY_MS

/** Takes mails that wait, the oldest first. Each is taken once: a mail that is sent twice would say that it happened twice. */
const takeMails = query<
  { now: Date; since: Date; limit: number },
  { address: string; subject: string; text: string }
>(
  'take-alert-mails',
  `update alert_mails
  set sent_at = :now
  where
    sent_at is null
    and (incident_id, state, address) in (
      select incident_id, state, address
      from alert_mails
      where sent_at is null and created_at > :since
      order by created_at
      limit :limit
      for update skip locked
    )
  returning address, subject, text`,
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
  await Promise.all(
    mails.map(({ address: to, subject, text }) => {
      const paragraphs = text.split('\n\n')
      const url = paragraphs.pop()!
      return sendMail(services, { to, subject, ...letter([...paragraphs, { label: 'Open the site', url }]) })
    }),
  )
  await forgetMails(db, { before: new Date(now.getTime() - KEPT_MS) })
}
