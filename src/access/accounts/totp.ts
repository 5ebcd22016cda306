import { Secret, TOTP } from 'otpauth'
import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { seal, unseal } from '../../platform/lib/secret-box.ts'

const PERIOD = 30
/** What authenticator apps take without asking: most of them know nothing else. */
const OPTIONS = { algorithm: 'SHA1', digits: 6, period: PERIOD }
/** Time steps before and after the present one whose codes are accepted: clocks differ. */
const WINDOW = 1
const SECRET_BYTES = 20
/** 20 bytes in base32. */
export const TOTP_SECRET_FORM = /^[A-Z2-7]{32}$/

const placeOf = (loginId: string) => `login ${loginId} totp`

/** Returns a new secret, base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** Returns the address that an authenticator app takes the secret from. */
export const totpUri = (secret: string, email: string, issuer: string): string =>
  new TOTP({ ...OPTIONS, secret: Secret.fromBase32(secret), label: email, issuer }).toString()

export const sealTotpSecret = (secretKey: string, loginId: string, secret: string): Buffer =>
  seal(secretKey, secret, placeOf(loginId))

const unsealTotpSecret = (secretKey: string, loginId: string, sealed: Uint8Array): string =>
  unseal(secretKey, sealed, placeOf(loginId))

/** Returns the time step whose code this is; undefined for a wrong code. */
export function totpStepOf(secret: string, code: string, now: Date): number | undefined {
  const token = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const timestamp = now.getTime()
  const delta = TOTP.validate({
    ...OPTIONS,
    token,
    secret: Secret.fromBase32(secret),
    timestamp,
    window: WINDOW,
  })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD) + delta
}

/** Checks and writes in one statement: of parallel calls with the same code, one gets a row. */
const takeStep = query<{ loginId: string; sealed: Uint8Array; step: number }, { id: string }>(
  'take-totp-step',
  `update logins
  set totp_step = :step
  where id = :loginId and totp_secret = :sealed and (totp_step is null or totp_step < :step::bigint)
  returning id`,
)

/** Returns whether the code is right, and was not used before: each works once. */
export async function takeTotpCode(
  db: Queryable,
  secretKey: string,
  login: { id: string; totpSecret: Uint8Array },
  code: string,
  now: Date,
): Promise<boolean> {
  const { id: loginId, totpSecret: sealed } = login
  const step = totpStepOf(unsealTotpSecret(secretKey, loginId, sealed), code, now)
  return step !== undefined && (await takeStep(db, { loginId, sealed, step })).length > 0
}

/** Sets or removes the second factor; the step is that of the code it was confirmed with. */
export const setTotp = query<{ loginId: string; sealed: Uint8Array | null; step: number | null }>(
  'set-totp',
  'update logins set totp_secret = :sealed, totp_step = :step where id = :loginId',
)
