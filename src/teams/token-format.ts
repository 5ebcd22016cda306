import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'wa_'
/** 30 base-62 digits hold 178 random bits. */
const RANDOM_DIGITS = 30
/** 6 base-62 digits hold any 32-bit checksum. */
const CHECKSUM_DIGITS = 6
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}$`)

/** A new token: `wa_`, 178 random bits, a checksum by which a mistyped one is known without a database. */
export function generateToken(): string {
  let digits = ''
  while (digits.length < RANDOM_DIGITS) {
    for (const byte of randomBytes(RANDOM_DIGITS)) {
      // 248 is the largest multiple of 62 in a byte: beyond it the first digits would be likelier.
      if (byte < 248 && digits.length < RANDOM_DIGITS) digits += ALPHABET[byte % 62]
    }
  }
  return PREFIX + digits + checksum(digits)
}

/** Whether the text can be a token of ours at all: right shape, right checksum. */
export function isWellFormedToken(token: string): boolean {
  if (!SHAPE.test(token)) return false
  const digits = token.slice(PREFIX.length, -CHECKSUM_DIGITS)
  return token.endsWith(checksum(digits))
}

/** What is stored of a token: its SHA-256, 32 bytes. */
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
