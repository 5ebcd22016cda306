import { randomUUID } from 'node:crypto'
import { validate as isUuid } from 'uuid'
import { hashPassword } from '../../access/accounts/passwords.ts'
import { hashSecret } from '../../access/accounts/secrets.ts'
import type { Audit } from '../../access/audit/audit.ts'
import { lockSite } from '../../access/sites/lock-site.ts'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import type { Caller } from '../../access/teams/caller.ts'
import { endWithToken, keepToken, requireMaker } from '../../access/teams/token-rules.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { checkPatterns, filtersOf } from '../conditions/filter-object.ts'
import { newShareSecret } from './credentials.ts'
import {
  countLiveShares,
  deleteExpiredShares,
  deleteShare,
  insertShare,
  renewShareSecret,
  type ShareFields,
  type ShareRow,
  selectShare,
  selectShares,
  updateShare,
} from './share-rows.ts'
import { ChangeShare, type CreatedShare, type CreateShare, type Share } from './share-schema.ts'

/** Most shares of a site that work. */
export const MAX_LIVE_SHARES = 50
/** Most expired shares of a site that are kept and listed. */
const MAX_EXPIRED_SHARES = 50

type Parts = Pick<Services, 'db' | 'config' | 'patterns' | 'now'> & {
  audit: Audit
  signal?: AbortSignal | undefined
}
type Site = Pick<SiteRecord, 'siteNo' | 'id' | 'teamId' | 'domain'>

/** Returns the shares of a site, the newest first. */
export async function listShares({ db }: Pick<Services, 'db'>, { siteNo }: Site): Promise<Share[]> {
  return (await selectShares(db, { siteNo })).map(presentShare)
}

// Each change calls `audit` before it writes the share: `audit` locks the user, as a revocation of a token does before it deletes the shares that
// the token made.

/**
 * Makes a share. Its secret is in the answer to a browser, and nowhere else. A share of a token ends with the token, at the latest.
 * @throws AppError `validation_failed` for an expiry in the past or after that of the token, or an invalid expression; `forbidden` when the site
 * has the most shares; `not_found` when the site was deleted meanwhile
 */
export async function createShare(
  services: Parts,
  caller: Pick<Caller, 'userId' | 'tokenId' | 'expiresAt'>,
  site: Site,
  input: CreateShare,
): Promise<CreatedShare> {
  const { db, config, now, audit } = services
  const { userId, tokenId } = caller
  const expiresAt = endWithToken(caller, input.expires_at ?? null)
  const fields = { ...(await fieldsOf(services, site, input)), expiresAt }
  const secret = newShareSecret()
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    await requireRoom(transaction, site, now(), null)
    await deleteExpiredShares(transaction, { siteNo: site.siteNo, now: now(), kept: MAX_EXPIRED_SHARES })
    const id = randomUUID()
    await audit(transaction, {
      action: 'share.create',
      object: { type: 'share', id },
      details: {
        name: fields.name,
        domain: site.domain,
        sections: [...fields.sections],
        filters: Object.keys(input.filters ?? {}),
        has_password: fields.passwordHash !== null,
        expires_at: expiresAt?.toISOString() ?? null,
      },
    })
    await keepToken(transaction, caller)
    const share = {
      ...fields,
      id,
      siteNo: site.siteNo,
      hash: hashSecret(secret),
      userId,
      tokenId,
      now: now(),
    }
    const [made] = await insertShare(transaction, share)
    return made!
  })
  if (tokenId !== null) return { ...presentShare(row), secret: null, url: null }
  return { ...presentShare(row), secret, url: linkOf(config, site, secret) }
}

/**
 * Changes a share, for those who have its link already, too. Another password ends all access that was given before. A token changes only
 * shares that it made; those never last longer than it, also when a browser changes them.
 * @throws AppError as `createShare`; `not_found` for an unknown share
 */
export async function changeShare(
  services: Parts,
  caller: Pick<Caller, 'tokenId'>,
  site: Site,
  id: string,
  changes: ChangeShare,
): Promise<Share> {
  const { db, now, audit } = services
  if (!isUuid(id)) throw noSuchShare()
  // Before the transaction: a hash takes 30 ms, and a pattern waits for its place.
  const prepared = await fieldsOf(services, site, changes)
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    const [present] = await selectShare(transaction, { siteNo: site.siteNo, id })
    if (!present) throw noSuchShare()
    requireMaker(caller, present, 'shares')
    const fields = merged(present, prepared, changes)
    requireEndWithMaker(present, fields)
    const isLive = fields.expiresAt === null || fields.expiresAt > now()
    if (isLive) await requireRoom(transaction, site, now(), id)
    await audit(transaction, {
      action: 'share.change',
      object: { type: 'share', id },
      details: {
        name: fields.name,
        domain: site.domain,
        sections: [...fields.sections],
        changed: ChangeShare.keyof().options.filter(name => changes[name] !== undefined),
      },
    })
    const [changed] = await updateShare(transaction, { ...fields, id })
    if (!changed) throw noSuchShare()
    return changed
  })
  return presentShare(row)
}

/**
 * Gives a share a new link for a signed-in person, who takes it over from the token that made it; the old link ends. Access that was given before
 * stays, as after a change without another password.
 * @throws AppError `not_found`
 */
export async function renewShareLink(services: Parts, site: Site, id: string): Promise<CreatedShare> {
  const { db, config, audit } = services
  const secret = newShareSecret()
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    const [present] = isUuid(id) ? await selectShare(transaction, { siteNo: site.siteNo, id }) : []
    if (!present) throw noSuchShare()
    await audit(transaction, {
      action: 'share.change',
      object: { type: 'share', id },
      details: { name: present.name, domain: site.domain, sections: present.sections, changed: ['link'] },
    })
    const [renewed] = await renewShareSecret(transaction, { id, hash: hashSecret(secret) })
    if (!renewed) throw noSuchShare()
    return renewed
  })
  return { ...presentShare(row), secret, url: linkOf(config, site, secret) }
}

/**
 * Revokes a share: the next request with its secret, or with access that it gave, is refused.
 * @throws AppError `not_found`
 */
export async function revokeShare({ db, audit }: Parts, site: Site, id: string): Promise<void> {
  await db.begin(async transaction => {
    const [present] = isUuid(id) ? await selectShare(transaction, { siteNo: site.siteNo, id }) : []
    if (!present) throw noSuchShare()
    await audit(transaction, {
      action: 'share.revoke',
      object: { type: 'share', id },
      details: { name: present.name, domain: site.domain },
    })
    const [gone] = await deleteShare(transaction, { id })
    if (!gone) throw noSuchShare()
  })
}

const noSuchShare = () => new AppError('not_found', 'No such share')

const linkOf = ({ baseUrl }: Services['config'], { id }: Site, secret: string) =>
  `${baseUrl}/share/${id}#${secret}`

/** @throws AppError `validation_failed` for a share that would outlive the token that made it */
function requireEndWithMaker({ tokenExpiresAt }: ShareRow, { expiresAt }: ShareFields): void {
  if (!tokenExpiresAt || (expiresAt && expiresAt <= tokenExpiresAt)) return
  throw invalidField('expires_at', 'expires_at must not be later than that of the token that made the share')
}

/** Returns the fields of a share; what is left out gets its default. */
async function fieldsOf(services: Parts, { teamId }: Site, input: ChangeShare): Promise<ShareFields> {
  const { expires_at: expiresAt, password } = input
  if (expiresAt && expiresAt <= services.now()) {
    throw invalidField('expires_at', 'expires_at must be in the future')
  }
  if (input.filters) {
    const conditions = filtersOf(input.filters).map(({ condition }) => condition)
    await checkPatterns(services, teamId, conditions)
  }
  return {
    name: input.name ?? '',
    sections: input.sections ?? [],
    filters: JSON.stringify(input.filters ?? {}),
    passwordHash: password ? await hashPassword(password) : null,
    mayExport: input.may_export ?? false,
    expiresAt: expiresAt ?? null,
  }
}

/** Returns the fields of a share with those of `prepared` that `changes` names. */
function merged(present: ShareRow, prepared: ShareFields, changes: ChangeShare): ShareFields {
  const pick = <Value>(isGiven: boolean, given: Value, before: Value) => (isGiven ? given : before)
  return {
    name: pick(changes.name !== undefined, prepared.name, present.name),
    sections: pick(changes.sections !== undefined, prepared.sections, present.sections),
    filters: pick(changes.filters !== undefined, prepared.filters, JSON.stringify(present.filters)),
    passwordHash: pick(changes.password !== undefined, prepared.passwordHash, present.passwordHash),
    mayExport: pick(changes.may_export !== undefined, prepared.mayExport, present.mayExport),
    expiresAt: pick(changes.expires_at !== undefined, prepared.expiresAt, present.expiresAt),
  }
}

/**
 * Checks that the site can have one more share that works. The result is valid while the lock of `lockSite` is held.
 * @param exceptId id of a share that does not count
 * @throws AppError `forbidden`
 */
async function requireRoom(
  transaction: Transaction,
  { siteNo }: Site,
  now: Date,
  exceptId: string | null,
): Promise<void> {
  const [live] = await countLiveShares(transaction, { siteNo, now, exceptId })
  if (live!.count < MAX_LIVE_SHARES) return
  throw new AppError(
    'forbidden',
    `The site has ${MAX_LIVE_SHARES} shares that work, as many as it may: revoke one that is not needed`,
  )
}

function presentShare(row: ShareRow): Share {
  return {
    id: row.id,
    name: row.name,
    sections: row.sections as Share['sections'],
    filters: row.filters as Share['filters'],
    has_password: row.passwordHash !== null,
    may_export: row.mayExport,
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
  }
}
