import { createHash, randomBytes } from 'node:crypto'

/** Returns a new secret of 32 random bytes, base64url: 43 characters. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Returns the SHA-256 of a secret, the only form that is stored. A secret is random, so a fast hash is enough. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Returns whether a text has the form of a secret; the database is asked only then. */
export const isSecret = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
