import { createHmac, timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { isSecret, newSecret } from '../../access/accounts/secrets.ts'

/** Begins the secret of a share, which is in its link. */
const SECRET = 'wsh_'
/** Begins what opening a share gives. */
const ACCESS = 'wsa_'

export const newShareSecret = (): string => SECRET + newSecret()

export const isShareSecret = (text: string): boolean =>
  text.startsWith(SECRET) && isSecret(text.slice(SECRET.length))

/** Returns the secret or the access that a header carries; undefined for a header without one, such as that of a token. */
export function shareCredentialOf(header: string | undefined): string | undefined {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  return given?.startsWith(SECRET) || given?.startsWith(ACCESS) ? given : undefined
}

/** What access to a share was given for. */
interface Access {
  shareId: string
  /** Unix seconds. */
  expiresAt: number
}

interface ReadAccess extends Access {
  /** Returns whether the service made it, for a share with this password hash. */
  isGenuine(secretKey: string, passwordHash: string | null): boolean
}

const ID_BYTES = 16
const TIME_BYTES = 6
const MAC_BYTES = 32

/** Returns access to a share, which needs no row of its own: another password or the end of the share ends it. */
export function makeAccess(secretKey: string, access: Access, passwordHash: string | null): string {
  const head = Buffer.alloc(ID_BYTES + TIME_BYTES)
  head.set(parse(access.shareId))
  head.writeUIntBE(access.expiresAt, ID_BYTES, TIME_BYTES)
  return ACCESS + Buffer.concat([head, macOf(secretKey, head, passwordHash)]).toString('base64url')
}

/** @returns undefined for a text that is no access; whether it is genuine shows only with the share */
export function readAccess(text: string): ReadAccess | undefined {
  if (!/^wsa_[A-Za-z0-9_-]{72}$/.test(text)) return undefined
  const bytes = Buffer.from(text.slice(ACCESS.length), 'base64url')
  const head = bytes.subarray(0, ID_BYTES + TIME_BYTES)
  const mac = bytes.subarray(ID_BYTES + TIME_BYTES)
  return {
    shareId: stringifyLoosely(head.subarray(0, ID_BYTES)),
    expiresAt: head.readUIntBE(ID_BYTES, TIME_BYTES),
    isGenuine: (secretKey, passwordHash) => timingSafeEqual(mac, macOf(secretKey, head, passwordHash)),
  }
}

/** `stringify` refuses bytes that are no UUID of a known version, which anybody can send. */
function stringifyLoosely(bytes: Buffer): string {
  try {
    return stringify(bytes)
  } catch {
    return '00000000-0000-0000-0000-000000000000'
  }
}

/** The key is derived, so that nothing else that is signed with the secret key can stand in for access. */
function macOf(secretKey: string, head: Buffer, passwordHash: string | null): Buffer {
  const key = createHmac('sha256', Buffer.from(secretKey, 'hex')).update('access to shares').digest()
  return createHmac('sha256', key)
    .update(head)
    .update(passwordHash === null ? '0' : `1${passwordHash}`)
    .digest()
    .subarray(0, MAC_BYTES)
}
