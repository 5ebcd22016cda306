import { hash } from 'node:crypto'
import { firstHalfAt } from '../edge/hit-id.ts'

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
 * @param at the line's time, Unix milliseconds
 */
export function hitIdOf(digest: LineDigest, ordinal: number, at: number): string {
  const own = ownBytes(digest, ordinal)
  own[0] = (own[0]! & 0x3f) | 0x80
  const hex = own.toString('hex', 0, 8)
  return `${firstHalfAt(at, 8)}${hex.slice(0, 4)}-${hex.slice(4)}`
}

/** The id that the hit of a line had in releases that made all of it of the hash. */
export function randomHitIdOf(digest: LineDigest, ordinal: number): string {
  const own = ownBytes(digest, ordinal)
  own[6] = (own[6]! & 0x0f) | 0x80
  own[8] = (own[8]! & 0x3f) | 0x80
  const hex = own.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function ownBytes({ bytes }: LineDigest, ordinal: number): Buffer {
  return ordinal === 0
    ? Buffer.from(bytes)
    : hash('sha256', Buffer.concat([bytes, Buffer.from(String(ordinal))]), 'buffer')
}
