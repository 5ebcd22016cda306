import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { inTransaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import { hashSecret, isSecret, newSecret } from './secrets.ts'

export const LINK_PURPOSES = ['setup', 'reset', 'recover', 'address'] as const
export type LinkPurpose = (typeof LINK_PURPOSES)[number]

const LIFETIME: Record<LinkPurpose, number> = {
  setup: DAY_MS,
  reset: HOUR_MS,
  recover: DAY_MS,
  address: DAY_MS,
}

/** Whom a link is for: an e-mail address without a login, or a login. */
type LinkTarget = { email: string; loginId: null } | { email: null; loginId: string; newEmail?: string }
type TargetColumns = { email: string | null; loginId: string | null }

const insertLink = query<
  TargetColumns & {
    newEmail: string | null
    hash: Uint8Array
    purpose: LinkPurpose
    now: Date
    expiresAt: Date
  }
>(
  'create-one-time-link',
  `insert into one_time_links (hash, purpose, email, login_id, new_email, expires_at, created_at)
  values (:hash, :purpose, :email, :loginId, :newEmail, :expiresAt, :now)`,
)

/** Deletes all links for an e-mail address without a login, or for a login. */
export const deleteLinks = query<TargetColumns>(
  'delete-one-time-links',
  'delete from one_time_links where email = :email or login_id = :loginId',
)

/** A link that was asked for is not replaced so soon: strangers who ask again and again must not end the one that its owner follows. */
const REPLACED_AFTER_MS = 5 * MINUTE_MS

/** A link that was asked for replaces those of its kind alone: it must not end the link of the operator. */
const deleteOlderLinks = query<TargetColumns & { purpose: LinkPurpose; askedBefore: Date }>(
  'delete-older-one-time-links',
  `delete from one_time_links
  where (email = :email or login_id = :loginId)
    and (
      :purpose::text in ('setup', 'recover')
      or (purpose = :purpose and (purpose = 'address' or created_at < :askedBefore))
    )`,
)

/** Ends the link that confirms a new address of a login. */
export const deleteAddressLink = query<{ loginId: string }>(
  'delete-address-link',
  `delete from one_time_links where login_id = :loginId and purpose = 'address'`,
)

/**
 * Makes a link, in place of those that were made for the same target before; one that was asked for leaves those of other purposes, and, for a
 * new password, those that were asked for in the last five minutes.
 * @param target `newEmail`: what a link for the purpose `address` confirms
 * @returns its secret
 */
export async function createLink(
  db: Queryable,
  purpose: LinkPurpose,
  target: LinkTarget,
  now: Date,
): Promise<string> {
  const secret = newSecret()
  const expiresAt = new Date(now.getTime() + LIFETIME[purpose])
  await inTransaction(db, async tx => {
    const askedBefore = new Date(now.getTime() - REPLACED_AFTER_MS)
    const { email, loginId, newEmail = null } = { newEmail: undefined, ...target }
    await deleteOlderLinks(tx, { email, loginId, purpose, askedBefore })
    await insertLink(tx, { email, loginId, newEmail, purpose, hash: hashSecret(secret), now, expiresAt })
  })
  return secret
}

export interface Link {
  purpose: LinkPurpose
  /** Of the login, or of the memberships that wait for one; for the purpose `address` the new one. */
  email: string
  /** null for the purpose `setup`. */
  loginId: string | null
}

const IS_VALID = 'hash = :hash and purpose = any(:purposes::text[]) and expires_at > :now'
const LINK_COLUMNS = `purpose, login_id as "loginId",
    coalesce(email, new_email, (select logins.email from logins where logins.id = login_id)) as email`

interface LinkFilter {
  hash: Uint8Array
  purposes: readonly LinkPurpose[]
  now: Date
}

const selectLink = query<LinkFilter, Link>(
  'find-one-time-link',
  `select ${LINK_COLUMNS} from one_time_links where ${IS_VALID}`,
)

const deleteLink = query<LinkFilter, Link>(
  'take-one-time-link',
  `delete from one_time_links where ${IS_VALID} returning ${LINK_COLUMNS}`,
)

/** What the answer says about a link that is unknown, used or expired. */
export const NO_LINK = 'The link does not work any more: it was used, replaced, or is too old'

/** @throws AppError `not_found` */
export async function findLink(
  db: Queryable,
  secret: string,
  purposes: readonly LinkPurpose[],
  now: Date,
): Promise<Link> {
  return existing(isSecret(secret) ? await selectLink(db, { hash: hashSecret(secret), purposes, now }) : [])
}

/** Uses a link up, in the transaction that does what it is for. Throws as `findLink`: of parallel calls, one gets the link. */
export async function takeLink(
  tx: Transaction,
  secret: string,
  purposes: readonly LinkPurpose[],
  now: Date,
): Promise<Link> {
  return existing(isSecret(secret) ? await deleteLink(tx, { hash: hashSecret(secret), purposes, now }) : [])
}

/** As `takeLink`, by the SHA-256 of the secret. @returns undefined for a link that does not work */
export async function takeLinkByHash(
  tx: Transaction,
  hash: Uint8Array,
  purposes: readonly LinkPurpose[],
  now: Date,
): Promise<Link | undefined> {
  return (await deleteLink(tx, { hash, purposes, now }))[0]
}

function existing([link]: Link[]): Link {
  if (!link) throw new AppError('not_found', NO_LINK)
  return link
}
