import { auditOf } from '../../../access/audit/audit.ts'
import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Language } from '../../../platform/mail/languages.ts'
import type { Services } from '../../../platform/services.ts'
import type { Subscription } from './link-schema.ts'
import { recipientOf } from './links.ts'
import { findRecipient } from './recipient-rows.ts'
import { rememberUnsubscribed } from './unsubscribed.ts'

// What the owner of an address does with the links of mails, without a login.

type Parts = Pick<Services, 'db' | 'config' | 'now'>

const NO_LINK = 'The link does not work: it is not whole, or what it was for does not exist any more'

/** @throws AppError `not_found` */
export async function lookUpSubscription(
  { db, config }: Pick<Parts, 'db' | 'config'>,
  purpose: 'confirm' | 'unsubscribe',
  token: string,
): Promise<Subscription> {
  const id = recipientOf(config, purpose, token)
  const [row] = id === undefined ? [] : await findRecipient(db, { id })
  // A removed recipient, or that of a deleted site, may still unsubscribe: it must not be added again without being asked.
  if (!row || (purpose === 'confirm' && (row.removedAt || row.isSiteDeleted)))
    throw new AppError('not_found', NO_LINK)
  return {
    address: row.address,
    domain: row.domain,
    language: row.language as Language,
    state: row.unsubscribedAt ? 'unsubscribed' : row.confirmedAt ? 'confirmed' : 'waiting',
  }
}

/** Who has unsubscribed does not agree again by an older link; reports that were due before are not sent. */
const confirmRecipient = query<{ id: string; now: Date }, { id: string }>(
  'confirm-report-recipient',
  `update mail_recipients
  set confirmed_at = :now
  where id = :id and confirmed_at is null and unsubscribed_at is null and removed_at is null
  returning id`,
)

const unsubscribeRecipient = query<{ id: string; now: Date }, { id: string }>(
  'unsubscribe-report-recipient',
  `update mail_recipients
  set unsubscribed_at = :now, confirmed_at = null
  where id = :id and unsubscribed_at is null
  returning id`,
)

/**
 * Records that the owner of an address wants mails of a site. The same link again changes nothing.
 * @throws AppError `not_found`; `forbidden` when they have unsubscribed since
 */
export async function confirmSubscription(
  services: Parts,
  token: string,
  network: string,
): Promise<Subscription> {
  await change(services, 'confirm', token, network)
  const subscription = await lookUpSubscription(services, 'confirm', token)
  if (subscription.state === 'unsubscribed') {
    throw new AppError('forbidden', 'You have unsubscribed: ask for your address to be added again')
  }
  return subscription
}

/**
 * Ends all mails of a site to an address. The same link again changes nothing.
 * @throws AppError `not_found`
 */
export async function unsubscribe(services: Parts, token: string, network: string): Promise<Subscription> {
  await change(services, 'unsubscribe', token, network)
  return lookUpSubscription(services, 'unsubscribe', token)
}

const CHANGES = {
  confirm: { run: confirmRecipient, action: 'report.confirm' },
  unsubscribe: { run: unsubscribeRecipient, action: 'report.unsubscribe' },
} as const

async function change(
  { db, config, now }: Parts,
  purpose: keyof typeof CHANGES,
  token: string,
  network: string,
): Promise<void> {
  const id = recipientOf(config, purpose, token)
  if (id === undefined) throw new AppError('not_found', NO_LINK)
  const { run, action } = CHANGES[purpose]
  await db.begin(async transaction => {
    const [row] = await findRecipient(transaction, { id })
    if (row && purpose === 'unsubscribe') await rememberUnsubscribed(transaction, row.address, now())
    const [changed] = await run(transaction, { id, now: now() })
    if (!row || !changed) return
    const actor = {
      teamId: row.teamId,
      loginId: null,
      userId: null,
      tokenId: null,
      name: row.address,
      network,
    }
    await auditOf(actor, now)(transaction, {
      action,
      object: { type: 'report', id },
      details: { address: row.address, domain: row.domain },
    })
  })
}
