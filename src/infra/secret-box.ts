import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
/** First byte of what is stored: how the rest is made. */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/**
 * Encrypts a text with AES-256-GCM: version, nonce, tag, ciphertext.
 * @param secretKey 64 hex digits
 * @param place where it is kept; it opens nowhere else
 */
export function seal(secretKey: string, text: string, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, Buffer.from(secretKey, 'hex'), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
}

/** @throws Error when it was sealed under another key, for another place, or was changed */
export function unseal(secretKey: string, sealed: Uint8Array, place: string): string {
  const bytes = Buffer.from(sealed)
  if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) throw new Error('not a sealed text')
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const key = Buffer.from(secretKey, 'hex')
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEAD_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8')
}
