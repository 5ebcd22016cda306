import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'wa_'
/** 30 base-62 digits hold 178 random bits. */
const RANDOM_DIGITS = 30
/** 6 base-62 digits hold any 32-bit checksum. */
const CHECKSUM_DIGITS = 6
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}$`)

/** Generates a token: `wa_`, 178 random bits, and a checksum that detects mistyped tokens without a database look-up. */
export function generateToken(): string {
  let digits = ''
  while (digits.length < RANDOM_DIGITS) {
    for (const byte of randomBytes(RANDOM_DIGITS)) {
      // 248 is the largest multiple of 62 in a byte: larger bytes would make the first digits more likely.
      if (byte < 248 && digits.length < RANDOM_DIGITS) digits += ALPHABET[byte % 62]
    }
  }
  return PREFIX + digits + checksum(digits)
}

/** Returns whether the text has the shape and the checksum of a token. */
export function isWellFormedToken(token: string): boolean {
  if (!SHAPE.test(token)) return false
  const digits = token.slice(PREFIX.length, -CHECKSUM_DIGITS)
  return token.endsWith(checksum(digits))
}

/** Returns the SHA-256 of a token, 32 bytes. Only this hash is stored. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function checksum(digits: string): string {
  let rest = crc32(digits)
  let written = ''
  for (let i = 0; i < CHECKSUM_DIGITS; i++) {
    written = ALPHABET[rest % 62] + written
    rest = Math.floor(rest / 62)
  }
  return written
}
