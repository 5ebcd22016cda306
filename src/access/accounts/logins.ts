import { query } from '../../platform/db/query.ts'
import type { Language } from '../../platform/mail/languages.ts'

export interface Login {
  id: string
  email: string
  name: string | null
  passwordHash: string | null
  /** Sealed. */
  totpSecret: Uint8Array | null
  disabledAt: Date | null
  /** Of mails; null: not known yet. */
  language: Language | null
}

const COLUMNS = `
  id, email, name, password_hash as "passwordHash", totp_secret as "totpSecret", disabled_at as "disabledAt", language`

/** @param email lower case */
export const findLoginByEmail = query<{ email: string }, Login>(
  'find-login-by-email',
  `select ${COLUMNS} from logins where email = :email`,
)

export const findLogin = query<{ id: string }, Login>(
  'find-login',
  `select ${COLUMNS} from logins where id = :id`,
)

/** Creates a login. @returns no row when another login has the e-mail address, which must be in lower case */
export const createLogin = query<
  { email: string; name: string | null; passwordHash: string | null; now: Date },
  { id: string }
>(
  'create-login',
  `insert into logins (email, name, password_hash, created_at)
  values (:email, :name, :passwordHash, :now)
  on conflict (email) do nothing
  returning id`,
)
