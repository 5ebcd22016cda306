import { hashSecret } from '../../access/accounts/secrets.ts'
import type { Guard } from '../../access/teams/credentials.ts'
import { SECTIONS } from '../../platform/dimensions/sections.ts'
import { AppError } from '../../platform/errors.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import type { Services } from '../../platform/services.ts'
import { filtersOf } from '../conditions/filter-object.ts'
import { isShareSecret, readAccess } from './credentials.ts'
import type { Grant } from './grant.ts'
import { ShareFilters } from './share-filters.ts'
import { findShareByHash, findShareById, type ShareRow, touchShare } from './share-rows.ts'

type Parts = Pick<Services, 'db' | 'config' | 'now'>

/**
 * Returns the share that a bearer secret or access belongs to. Asks the database each time: a revoked share ends at once everywhere.
 * @throws AppError `unauthenticated`, the same for unknown, expired and revoked ones; `rate_limited` as for invalid tokens
 */
export async function useShare(services: Parts, credential: string, guard: Guard): Promise<ShareRow> {
  const share = await guard({
    hash: hashSecret(credential),
    find: () => findShare(services, credential),
    refusal: invalidShare(),
  })
  if (isShareSecret(credential) && share.passwordHash !== null) throw passwordNeeded()
  const { db, now } = services
  const at = now()
  if (!share.lastUsedAt || at.getTime() - share.lastUsedAt.getTime() >= MINUTE_MS) {
    // Ignore failures: the time of last use is only informative and must not fail a request.
    await touchShare(db, { id: share.id, now: at }).catch(() => {})
  }
  return share
}

async function findShare({ db, config, now }: Parts, credential: string): Promise<ShareRow | undefined> {
  if (isShareSecret(credential)) return findShareBySecret({ db, now }, credential)
  const access = readAccess(credential)
  if (!access || access.expiresAt * 1000 <= now().getTime()) return undefined
  const [share] = await findShareById(db, { id: access.shareId })
  if (!share || !access.isGenuine(config.secretKey, share.passwordHash)) return undefined
  return isLive(share, now()) ? share : undefined
}

/** @returns undefined for the secret of no share that works */
export async function findShareBySecret(
  { db, now }: Pick<Parts, 'db' | 'now'>,
  secret: string,
): Promise<ShareRow | undefined> {
  const [share] = await findShareByHash(db, { hash: hashSecret(secret) })
  return share && isLive(share, now()) ? share : undefined
}

const isLive = ({ expiresAt }: ShareRow, now: Date): boolean => expiresAt === null || expiresAt > now

export const invalidShare = () => new AppError('unauthenticated', 'The share is not valid: it may have ended')

const passwordNeeded = () =>
  new AppError('password_required', 'The share has a password: open it with POST /api/shares/open')

/** Returns what a share grants. A stored filter that this version does not know is an error: without it the share would show more. */
export function grantOf(share: ShareRow): Grant {
  const filters = ShareFilters.parse(share.filters)
  return {
    sections: new Set(SECTIONS.filter(section => share.sections.includes(section))),
    filters: filtersOf(filters),
    mayExport: share.mayExport,
    share: { id: share.id, name: share.name, filters, expiresAt: share.expiresAt },
  }
}
