import { randomBytes } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { z } from 'zod'
import { AppError, invalidField } from '../../platform/errors.ts'
import { createPlaces } from '../../platform/lib/places.ts'
import { isWithin } from '../../platform/schema/validation.ts'

/** Argon2id with 19 MiB and two passes, as OWASP recommends. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const MIN_LENGTH = 10
const MAX_BYTES = 1_000

/** A hash that no password has, which takes as long to compare as a real one. */
const NOBODYS_HASH = [
  '$argon2id$v=19',
  `m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}`,
  phcBytes(16),
  phcBytes(32),
].join('$')

function phcBytes(count: number): string {
  return randomBytes(count).toString('base64').replaceAll('=', '')
}

/** Each hash takes 19 MiB and a thread of the pool that also reads files and resolves names. */
const inPlace = createPlaces({
  places: 2,
  waiting: 50,
  full: () => new AppError('unavailable', 'Too many people sign in right now; try again shortly'),
})

/** Equal texts can be typed as different code points: `é` is one on some keyboards, two on others. */
const bytesOf = (password: string) => Buffer.from(password.normalize('NFKC'))

/** A password as it is given to be compared. */
export const GivenPassword = z
  .string()
  .refine(password => bytesOf(password).length <= MAX_BYTES, `must be at most ${MAX_BYTES} bytes`)
  .meta({ description: 'The password.', example: 'correct horse battery staple', maxLength: MAX_BYTES })

/** A password as it is chosen; `refuseCommonPassword` checks the rest. */
export const NewPassword = GivenPassword.refine(
  password => !isWithin(password.normalize('NFKC'), MIN_LENGTH - 1),
  `must be at least ${MIN_LENGTH} characters`,
).meta({
  description: `The new password: at least ${MIN_LENGTH} characters, and none of the 49,000 most common passwords.`,
  example: 'correct horse battery staple',
  minLength: MIN_LENGTH,
  maxLength: MAX_BYTES,
})

let common: Promise<Set<string>> | undefined

/** Shorter ones are refused for their length. */
async function loadCommonPasswords(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter(password => password.length >= MIN_LENGTH))
}

/**
 * Refuses a new password that an attacker tries first: a common one, or the e-mail address.
 * @throws AppError `validation_failed`
 */
export async function refuseCommonPassword(password: string, email: string): Promise<void> {
  const lower = password.normalize('NFKC').toLowerCase()
  if (lower === email.toLowerCase()) throw invalidField('password', 'password must not be the e-mail address')
  common ??= loadCommonPasswords()
  if ((await common).has(lower)) {
    throw invalidField('password', 'password is one of the most common passwords: choose another')
  }
}

/**
 * Returns the hash of a password with its parameters (PHC string).
 * @throws AppError `unavailable` when too many hashes are waited for
 */
export function hashPassword(password: string): Promise<string> {
  return inPlace(() => hash(bytesOf(password), PARAMETERS))
}

/**
 * Compares a password with a hash. Without a hash it takes as long, and the password is wrong.
 * @returns `mustRehash` when the hash was made with other parameters than the present ones
 * @throws AppError `unavailable` when too many hashes are waited for
 */
export async function verifyPassword(
  stored: string | null,
  password: string,
): Promise<{ isRight: boolean; mustRehash: boolean }> {
  const isSame = await inPlace(() => verify(stored ?? NOBODYS_HASH, bytesOf(password)))
  const isRight = isSame && stored !== null
  return { isRight, mustRehash: isRight && !hasPresentParameters(stored) }
}

function hasPresentParameters(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored)
  return (
    memoryCost === PARAMETERS.memoryCost &&
    timeCost === PARAMETERS.timeCost &&
    parallelism === PARAMETERS.parallelism
  )
}
