import { validate as isUuid } from 'uuid'
import { hashPassword } from '../accounts/passwords.ts'
import { hashSecret } from '../accounts/secrets.ts'
import type { Audit } from '../audit/audit.ts'
import type { Transaction } from '../db/connect.ts'
import { AppError, invalidField } from '../errors.ts'
import { checkPatterns, filtersOf } from '../filters/filter-object.ts'
import type { Services } from '../services.ts'
import { lockSite } from '../sites/lock-site.ts'
import type { SiteRecord } from '../sites/schema.ts'
import type { Caller } from '../teams/schema.ts'
import { newShareSecret } from './credentials.ts'
import { ChangeShare, type CreatedShare, type CreateShare, type Share } from './schema.ts'
import {
  countLiveShares,
  deleteExpiredShares,
  deleteShare,
  insertShare,
  lockShare,
  type ShareFields,
  type ShareRow,
  selectShares,
  updateShare,
} from './share-rows.ts'

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

/**
 * Makes a share. Its secret is in the answer, and nowhere else.
 * @throws AppError `validation_failed` for an expiry in the past or an invalid expression; `forbidden` when the site has the most
 * shares; `not_found` when the site was deleted meanwhile
 */
export async function createShare(
  services: Parts,
  { userId }: Pick<Caller, 'userId'>,
  site: Site,
  input: CreateShare,
): Promise<CreatedShare> {
  const { db, config, now, audit } = services
  const fields = await fieldsOf(services, site, input)
  const secret = newShareSecret()
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    await requireRoom(transaction, site, now(), null)
    await deleteExpiredShares(transaction, { siteNo: site.siteNo, now: now(), kept: MAX_EXPIRED_SHARES })
    const [made] = await insertShare(transaction, {
      ...fields,
      siteNo: site.siteNo,
      hash: hashSecret(secret),
      userId,
      now: now(),
    })
    await audit(transaction, {
      action: 'share.create',
      object: { type: 'share', id: made!.id },
      details: {
        name: made!.name,
        domain: site.domain,
        sections: made!.sections,
        filters: Object.keys(made!.filters),
        has_password: made!.passwordHash !== null,
        expires_at: made!.expiresAt?.toISOString() ?? null,
      },
    })
    return made!
  })
  return { ...presentShare(row), secret, url: `${config.baseUrl}/share/${site.id}#${secret}` }
}

/**
 * Changes a share, for those who have its link already, too. Another password ends all access that was given before.
 * @throws AppError as `createShare`; `not_found` for an unknown share
 */
export async function changeShare(
  services: Parts,
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
    const [present] = await lockShare(transaction, { siteNo: site.siteNo, id })
    if (!present) throw noSuchShare()
    const fields = merged(present, prepared, changes)
    const isLive = fields.expiresAt === null || fields.expiresAt > now()
    if (isLive) await requireRoom(transaction, site, now(), id)
    const [changed] = await updateShare(transaction, { ...fields, id })
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
    return changed!
  })
  return presentShare(row)
}

/**
 * Revokes a share: the next request with its secret, or with access that it gave, is refused.
 * @throws AppError `not_found`
 */
export async function revokeShare({ db, audit }: Parts, site: Site, id: string): Promise<void> {
  await db.begin(async transaction => {
    const [gone] = isUuid(id) ? await deleteShare(transaction, { siteNo: site.siteNo, id }) : []
    if (!gone) throw noSuchShare()
    await audit(transaction, {
      action: 'share.revoke',
      object: { type: 'share', id },
      details: { name: gone.name, domain: site.domain },
    })
  })
}

const noSuchShare = () => new AppError('not_found', 'No such share')

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
