import { createHash } from 'node:crypto'
import { isUuid } from '../../access/sites/domain.ts'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { sealStably, unseal } from '../../platform/lib/secret-box.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { PUBLIC_INTERNET, type Reach } from '../../platform/net/public-fetch.ts'
import { createRemotePictures, fetchPicture, type Picture } from '../../platform/net/remote-pictures.ts'
import { avatarOf } from './avatar.ts'

// Anyone with a tracking key can set any picture URL for a user. Browsers load the picture from this service and not from that
// URL: its server would learn who reads the statistics, when, and from which address.

/** Identity whose picture is shown. */
interface Depicted {
  visitorId: string
  siteNo: number
  /** Identifier of the user, the key of the identity. */
  identifier: string
  /** URL of the picture, as sent. */
  avatar: string
}

/** URL of the avatar of an identity; no row when the identity or the site does not exist. */
const findAvatar = query<{ siteNo: number; identifier: string }, { avatar: string | null }>(
  'find-avatar',
  `select identities.avatar
  from identities
  join sites on sites.site_no = identities.site_no and sites.deleted_at is null
  where identities.site_no = :siteNo and identities.identifier = :identifier`,
)

/** The timeout is shorter than the time that a stopping worker waits for its open responses. */
const PICTURE_REACH: Reach = { ...PUBLIC_INTERNET, timeoutMs: 3_000, maxBytes: 256 * 1024 }
/** At most 16 MiB are loaded at the same time in a process, and as much is cached. A page of the log shows up to 100 pictures. */
const LIMITS = { maxAtOnce: 64, maxPerMinute: 600 }
/** Cache time of the generated picture for an identity that has no picture any more. */
const GONE_MS = HOUR_MS

/**
 * Returns the URL under which the service shows the picture of an identity. It reveals neither the identity nor the source of
 * the picture, and it cannot be made without the secret key. A new picture gets a new URL, so that browsers may cache pictures.
 */
export function identityPictureUrl(
  { baseUrl, secretKey }: { baseUrl: string; secretKey: string },
  { visitorId, siteNo, identifier, avatar }: Depicted,
): string {
  const version = createHash('sha256').update(avatar).digest('base64url').slice(0, 11)
  const sealed = sealStably(secretKey, `${siteNo}\n${version}\n${identifier}`, purposeOf(visitorId))
  return `${baseUrl}/avatars/${visitorId}/${sealed.toString('base64url')}`
}

export type IdentityPictures = ReturnType<typeof createIdentityPictures>

export function createIdentityPictures(
  db: Db,
  secretKey: string,
  now: () => Date,
  reach: Reach = PICTURE_REACH,
) {
  const pictures = createRemotePictures({ load: avatar => fetchPicture(avatar, reach), ...LIMITS, now })
  return {
    /**
     * Returns the present picture of an identity, or the one generated from the visitor id if it has none that can be shown.
     * @throws AppError `not_found` for a URL that was not made by `identityPictureUrl`
     */
    async find(visitorId: string, sealed: string): Promise<Picture> {
      const identity = isUuid(visitorId) ? open(secretKey, visitorId, sealed) : undefined
      if (!identity) throw new AppError('not_found', 'No such avatar')
      const generated = () => avatarOf(visitorId)
      const [row] = await findAvatar(db, identity)
      if (row?.avatar) return pictures.find(row.avatar, generated)
      return { type: 'image/svg+xml', bytes: Buffer.from(generated()), maxAgeMs: GONE_MS }
    },
  }
}

function open(secretKey: string, visitorId: string, sealed: string) {
  try {
    const text = unseal(secretKey, Buffer.from(sealed, 'base64url'), purposeOf(visitorId.toLowerCase()))
    const [, siteNo, identifier] = /^(\d+)\n[^\n]*\n(.*)$/s.exec(text)!
    return { siteNo: Number(siteNo), identifier: identifier! }
  } catch {
    return undefined
  }
}

const purposeOf = (visitorId: string) => `avatars/${visitorId}`
