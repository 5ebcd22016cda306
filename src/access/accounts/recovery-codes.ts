import { createHash, randomInt } from 'node:crypto'
import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'

const COUNT = 10
/** Digits and letters without those that look alike; 12 of them hold 60 random bits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 12
const FORM = /^[0-9a-hjkmnp-tv-z]{12}$/

/** Returns a code as it was typed in the form in which it is hashed; undefined for what can be no recovery code. */
function normalized(code: string): string | undefined {
  const plain = code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')
  return FORM.test(plain) ? plain : undefined
}

const hashOf = (plain: string): Buffer => createHash('sha256').update(plain).digest()

const deleteCodes = query<{ loginId: string }>(
  'delete-recovery-codes',
  'delete from recovery_codes where login_id = :loginId',
)

/** Hashes in hex: the driver cannot send a list of bytes. */
const insertCodes = query<{ loginId: string; hashes: string[] }>(
  'create-recovery-codes',
  `insert into recovery_codes (login_id, hash)
  select :loginId, decode(unnest(:hashes::text[]), 'hex')`,
)

const useCode = query<{ loginId: string; hash: Uint8Array }, { loginId: string }>(
  'use-recovery-code',
  'delete from recovery_codes where login_id = :loginId and hash = :hash returning login_id as "loginId"',
)

export const removeRecoveryCodes = (db: Queryable, loginId: string) => deleteCodes(db, { loginId })

/** Replaces the recovery codes of a login. @returns the new ones, which are not stored: only their hashes are */
export async function renewRecoveryCodes(tx: Transaction, loginId: string): Promise<string[]> {
  const plain = new Set<string>()
  while (plain.size < COUNT) {
    plain.add(Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''))
  }
  await deleteCodes(tx, { loginId })
  await insertCodes(tx, { loginId, hashes: [...plain].map(code => hashOf(code).toString('hex')) })
  return [...plain].map(code => code.replace(/(.{4})(?=.)/g, '$1-'))
}

/** Takes a recovery code away. @returns whether the login had it; of parallel calls, one gets true */
export async function takeRecoveryCode(db: Queryable, loginId: string, code: string): Promise<boolean> {
  const plain = normalized(code)
  if (plain === undefined) return false
  return (await useCode(db, { loginId, hash: hashOf(plain) })).length > 0
}
