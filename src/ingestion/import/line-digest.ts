import { hash } from 'node:crypto'
import { firstHalfAt } from '../edge/hit-id.ts'

/** Digest that identifies a line when a file is imported again. */
export interface LineDigest {
  /** SHA-256 of the site and the line. */
  bytes: Buffer
  /** Part of `bytes` that is the key for counting equal lines. */
  key: Buffer
}

export function digestOf(siteId: string, text: Buffer): LineDigest {
  const bytes = hash('sha256', Buffer.concat([Buffer.from(siteId), text]), 'buffer')
  return { bytes, key: bytes.subarray(16, 28) }
}

/**
 * Returns the id of the hit of a line: RFC 9562 version 8.
 * @param ordinal number of equal lines before it
 * @param at time of the line, Unix milliseconds
 */
export function hitIdOf(digest: LineDigest, ordinal: number, at: number): string {
  const own = ownBytes(digest, ordinal)
  own[0] = (own[0]! & 0x3f) | 0x80
  const hex = own.toString('hex', 0, 8)
  return `${firstHalfAt(at, 8)}${hex.slice(0, 4)}-${hex.slice(4)}`
}

function ownBytes({ bytes }: LineDigest, ordinal: number): Buffer {
  return ordinal === 0
    ? Buffer.from(bytes)
    : hash('sha256', Buffer.concat([bytes, Buffer.from(String(ordinal))]), 'buffer')
}
