import { hash } from 'node:crypto'

/** What makes a line the same line when a file is imported again. */
export interface LineDigest {
  /** SHA-256 of the site and the line. */
  bytes: Buffer
  /** The part of it by which equal lines are counted; the id is made of the other. */
  key: Buffer
}

export function digestOf(siteId: string, text: Buffer): LineDigest {
  const bytes = hash('sha256', Buffer.concat([Buffer.from(siteId), text]), 'buffer')
  return { bytes, key: bytes.subarray(16, 28) }
}

/**
 * The id of the hit of a line: RFC 9562 version 8.
 * @param ordinal how many equal lines come before it
 */
export function hitIdOf({ bytes }: LineDigest, ordinal: number): string {
  const own = Buffer.from(
    ordinal === 0 ? bytes : hash('sha256', Buffer.concat([bytes, Buffer.from(String(ordinal))]), 'buffer'),
  )
  own[6] = (own[6]! & 0x0f) | 0x80
  own[8] = (own[8]! & 0x3f) | 0x80
  const hex = own.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
