import { verifyPassword } from '../../access/accounts/passwords.ts'
import { hashSecret } from '../../access/accounts/secrets.ts'
import { findSiteByNo } from '../../access/sites/find-site.ts'
import type { Guard } from '../../access/teams/credentials.ts'
import { AppError } from '../../platform/errors.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { countAttempt } from '../../platform/limits/attempts.ts'
import type { Services } from '../../platform/services.ts'
import { isShareSecret, makeAccess } from './credentials.ts'
import { findShareBySecret, grantOf, invalidShare } from './find-share.ts'
import type { ShareRow } from './share-rows.ts'
import type { OpenedShare, OpenShare } from './share-schema.ts'
import { presentShared } from './shared-site.ts'

const ACCESS_MS = 12 * HOUR_MS

type Parts = Pick<Services, 'db' | 'redis' | 'config' | 'now'> & { network: string }

/**
 * Gives access to a share for twelve hours, to those who know its secret and its password.
 * @throws AppError `unauthenticated` for a share that does not work, or a wrong password; `password_required` without one; `rate_limited` after ten
 * wrong passwords in 15 minutes, for the share or from the network
 */
export async function openShare(
  services: Parts,
  { secret, password }: OpenShare,
  guard: Guard,
): Promise<OpenedShare> {
  const { db, config, now } = services
  const share = await guard({
    hash: hashSecret(secret),
    find: async () => (isShareSecret(secret) ? findShareBySecret(services, secret) : undefined),
    refusal: invalidShare(),
  })
  await requirePassword(services, share, password)
  const site = await findSiteByNo(db, share.siteNo)
  if (!site) throw invalidShare()
  const latest = now().getTime() + ACCESS_MS
  const expiresAt = new Date(Math.min(latest, share.expiresAt?.getTime() ?? latest))
  const access = { shareId: share.id, expiresAt: Math.floor(expiresAt.getTime() / 1000) }
  const {
    name,
    sections,
    filters,
    may_export,
    expires_at: _,
    ...parts
  } = presentShared(site, grantOf(share), config.baseUrl)
  return {
    access: makeAccess(config.secretKey, access, share.passwordHash),
    expires_at: new Date(access.expiresAt * 1000).toISOString(),
    site: parts,
    ...{ name, sections, filters, may_export },
  }
}

async function requirePassword(
  services: Parts,
  { id, passwordHash }: ShareRow,
  password: string | undefined,
): Promise<void> {
  if (passwordHash === null) return
  if (password === undefined) throw new AppError('password_required', 'The share needs its password')
  const attempt = await countAttempt(services, 'open-share', { share: id, network: services.network })
  const { isRight } = await verifyPassword(passwordHash, password)
  if (!isRight) throw new AppError('unauthenticated', 'The password is not right')
  await attempt.giveBack()
}
