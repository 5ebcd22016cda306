import { randomBytes } from 'node:crypto'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { seal, unseal } from '../../platform/lib/secret-box.ts'
import type { Services } from '../../platform/services.ts'
import type { Audit } from '../audit/audit.ts'
import { announceSiteChange } from './change-site.ts'
import type { TrackedSite } from './find-site.ts'
import type { IdentifySecret, IdentifySecretStatus, SiteRecord } from './site-schema.ts'

type Parts = Pick<Services, 'db' | 'redis' | 'log'> & { audit: Audit }

/** Returns no row when the site is deleted, or has no secret that null could remove. */
const writeSecret = query<{ siteNo: number; secret: Uint8Array | null }, { siteNo: number }>(
  'set-identify-secret',
  `update sites
  set identify_secret = :secret::bytea
  where site_no = :siteNo and deleted_at is null and (:secret::bytea is not null or identify_secret is not null)
  returning site_no as "siteNo"`,
)

const hasSecret = query<{ siteNo: number }, { isSet: boolean }>(
  'has-identify-secret',
  'select identify_secret is not null as "isSet" from sites where site_no = :siteNo and deleted_at is null',
)

/** @throws AppError `not_found` when the site was deleted meanwhile */
export async function getIdentifySecret(
  { db }: Pick<Services, 'db'>,
  { siteNo }: SiteRecord,
): Promise<IdentifySecretStatus> {
  const [row] = await hasSecret(db, { siteNo })
  if (!row) throw new AppError('not_found', 'No such site')
  return { identify_secret_set: row.isSet }
}

/**
 * Sets a new identify secret. Afterwards identities of the site must be signed with it.
 * @returns the secret in clear text, which is never shown again
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function rotateIdentifySecret(
  services: Parts & Pick<Services, 'config'>,
  site: SiteRecord,
): Promise<IdentifySecret> {
  const secret = randomBytes(32).toString('hex')
  const sealed = seal(services.config.secretKey, secret, placeOf(site.id))
  await setSecret(services, site, sealed, 'No such site')
  return { identify_secret: secret }
}

/**
 * Removes the secret: the site accepts identities without a signature again.
 * @throws AppError `not_found` when the site has no secret
 */
export const removeIdentifySecret = (services: Parts, site: SiteRecord): Promise<void> =>
  setSecret(services, site, null, 'The site has no identify secret')

async function setSecret(services: Parts, site: SiteRecord, secret: Buffer | null, otherwise: string) {
  await services.db.begin(async transaction => {
    const [row] = await writeSecret(transaction, { siteNo: site.siteNo, secret })
    if (!row) throw new AppError('not_found', otherwise)
    await services.audit(transaction, {
      action: secret ? 'identify_secret.renew' : 'identify_secret.remove',
      object: { type: 'site', id: site.id },
      details: { domain: site.domain },
    })
  })
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
