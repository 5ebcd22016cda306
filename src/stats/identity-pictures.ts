import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'
import { type Db, statement } from '../infra/db.ts'
import { PUBLIC_INTERNET, type Reach } from '../infra/public-fetch.ts'
import { createRemotePictures, fetchPicture, type Picture } from '../infra/remote-pictures.ts'
import { sealStably, unseal } from '../infra/secret-box.ts'
import { isUuid } from '../sites/domain.ts'
import { avatarOf } from './avatar.ts'

// Anybody who knows a tracking key can give a user any picture. Browsers of readers never ask its server, which would learn
// who reads when, from where: they ask the service.

/** Whose picture is shown. */
interface Depicted {
  visitorId: string
  siteNo: number
  /** The user's, by which the identity is known. */
  identifier: string
  /** Address of the picture, as it was sent. */
  avatar: string
}

export interface IdentityPictures {
  /**
   * The picture of an identity as it is now; the one made of the visitor's id where it has none that can be shown.
   * @throws AppError `not_found` for an address that `identityPictureUrl` did not make
   */
  find(visitorId: string, sealed: string): Promise<Picture>
}

const findAvatar = statement<{ avatar: string | null }>('find-avatar')

/** Less time than a worker that is told to stop waits for its answers. */
const PICTURE_REACH: Reach = { ...PUBLIC_INTERNET, timeoutMs: 3_000, maxBytes: 256 * 1024 }
/** At once up to 16 MiB a process, beside as much that is kept. A page of the log shows up to 100. */
const LIMITS = { maxAtOnce: 64, maxPerMinute: 600 }
/** How long the generated picture stands in for that of an identity which has none any more. */
const GONE_MS = 3_600_000

/**
 * Where the service shows the picture of an identity. Says neither who it is nor where the picture comes from, cannot be made
 * without the secret key, and is another one for another picture, so that browsers may keep what they got.
 */
export function identityPictureUrl(
  { baseUrl, secretKey }: { baseUrl: string; secretKey: string },
  { visitorId, siteNo, identifier, avatar }: Depicted,
): string {
  const version = createHash('sha256').update(avatar).digest('base64url').slice(0, 11)
  const sealed = sealStably(secretKey, `${siteNo}\n${version}\n${identifier}`, placeOf(visitorId))
  return `${baseUrl}/avatars/${visitorId}/${sealed.toString('base64url')}`
}

export function createIdentityPictures(
  db: Db,
  secretKey: string,
  now: () => Date,
  reach: Reach = PICTURE_REACH,
): IdentityPictures {
  const pictures = createRemotePictures({ load: avatar => fetchPicture(avatar, reach), ...LIMITS, now })
  return {
    async find(visitorId, sealed) {
      const identity = isUuid(visitorId) ? open(secretKey, visitorId, sealed) : undefined
      if (!identity) throw new AppError('not_found', 'No such avatar')
      const generated = () => avatarOf(visitorId)
      const [row] = await findAvatar(db, identity.siteNo, identity.identifier)
      if (row?.avatar) return pictures.find(row.avatar, generated)
      return { type: 'image/svg+xml', bytes: Buffer.from(generated()), maxAgeMs: GONE_MS }
    },
  }
}

function open(secretKey: string, visitorId: string, sealed: string) {
  try {
    const text = unseal(secretKey, Buffer.from(sealed, 'base64url'), placeOf(visitorId.toLowerCase()))
    const [, siteNo, identifier] = /^(\d+)\n[^\n]*\n(.*)$/s.exec(text)!
    return { siteNo: Number(siteNo), identifier: identifier! }
  } catch {
    return undefined
  }
}

const placeOf = (visitorId: string) => `avatars/${visitorId}`
