import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
/** First byte of a sealed text: the version of its format. */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/**
 * Encrypts a text with AES-256-GCM: version, nonce, tag, ciphertext.
 * @param secretKey 64 hex digits
 * @param place where the result is stored; `unseal` fails for any other place
 */
export function seal(secretKey: string, text: string, place: string): Buffer {
  return sealWith(randomBytes(NONCE_BYTES), secretKey, text, place)
}

/**
 * Like `seal`, but returns the same bytes for the same text and place, so that browsers can cache addresses made of them. The
 * nonce is a keyed hash of both: two texts share a nonce only by chance, as with random nonces.
 */
export function sealStably(secretKey: string, text: string, place: string): Buffer {
  const hash = createHmac('sha256', Buffer.from(secretKey, 'hex')).update(`nonce\n${place}\0${text}`).digest()
  return sealWith(hash.subarray(0, NONCE_BYTES), secretKey, text, place)
}

function sealWith(nonce: Buffer, secretKey: string, text: string, place: string): Buffer {
  const cipher = createCipheriv(ALGORITHM, Buffer.from(secretKey, 'hex'), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
}

/**
 * Decrypts a sealed text.
 * @throws Error when it was sealed with another key or for another place, or was changed
 */
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
