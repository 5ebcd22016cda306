import { randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import { statement } from '../infra/db.ts'
import { seal, unseal } from '../infra/secret-box.ts'
import type { Services } from '../infra/services.ts'
import { announceSiteChange } from './changes.ts'
import type { TrackedSite } from './find-site.ts'
import type { IdentifySecret, IdentifySecretStatus, SiteRecord } from './schema.ts'

const writeSecret = statement<{ siteNo: number }>('set-identify-secret')
const hasSecret = statement<{ isSet: boolean }>('has-identify-secret')

/** @throws AppError `not_found` when the site was deleted meanwhile */
export async function getIdentifySecret(
  { db }: Pick<Services, 'db'>,
  { siteNo }: SiteRecord,
): Promise<IdentifySecretStatus> {
  const [row] = await hasSecret(db, siteNo)
  if (!row) throw new AppError('not_found', 'No such site')
  return { identify_secret_set: row.isSet }
}

/**
 * Sets a new identify secret. Afterwards identities of the site must be signed with it.
 * @returns the secret in clear text, which is never shown again
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function rotateIdentifySecret(
  services: Pick<Services, 'db' | 'redis' | 'config' | 'log'>,
  site: SiteRecord,
): Promise<IdentifySecret> {
  const secret = randomBytes(32).toString('hex')
  const [row] = await writeSecret(
    services.db,
    site.siteNo,
    seal(services.config.secretKey, secret, placeOf(site.id)),
  )
  if (!row) throw new AppError('not_found', 'No such site')
  await announceSiteChange(services, site.trackingKey)
  return { identify_secret: secret }
}

/**
 * Removes the secret: the site accepts identities without a signature again.
 * @throws AppError `not_found` when the site has no secret
 */
export async function removeIdentifySecret(
  services: Pick<Services, 'db' | 'redis' | 'log'>,
  site: SiteRecord,
): Promise<void> {
  const [row] = await writeSecret(services.db, site.siteNo, null)
  if (!row) throw new AppError('not_found', 'The site has no identify secret')
  await announceSiteChange(services, site.trackingKey)
}

/**
 * Decrypts the identify secret.
 * @throws AppError `unavailable` when it was encrypted with another key
 */
export function openIdentifySecret(
  { siteId, identifySecret }: Pick<TrackedSite, 'siteId'> & { identifySecret: Uint8Array },
  secretKey: string,
): string {
  try {
    return unseal(secretKey, identifySecret, placeOf(siteId))
  } catch (cause) {
    throw new AppError('unavailable', 'The identify secret of this site cannot be read: set it again', {
      retryAfter: 60,
      cause,
    })
  }
}

const placeOf = (siteId: string) => `sites/${siteId}/identify_secret`
