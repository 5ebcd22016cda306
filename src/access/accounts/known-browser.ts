import { timingSafeEqual } from 'node:crypto'
import { keyedHash } from '../../platform/lib/keyed-hash.ts'
import type { Services } from '../../platform/services.ts'
import { isSecret, newSecret } from './secrets.ts'

// A browser that has signed in before has a cookie: a random name, and for each of its people a proof, which ties the name to
// their e-mail address. It is no proof of a login. It only keeps strangers' wrong passwords from counting for the browser's own people.

/** People of one browser; the one who signed in the longest time ago is forgotten. */
const MOST_PEOPLE = 5

/** Whom attempts from a known browser are counted by; undefined when the person has not signed in with it before. */
export function knownBrowser(
  { config }: Pick<Services, 'config'>,
  cookie: string | undefined,
  email: string,
): string | undefined {
  const [name, ...proofs] = cookie?.split('.') ?? []
  if (name === undefined || !isSecret(name)) return undefined
  const proof = Buffer.from(proofOf(config.secretKey, name, email))
  const isKnown = proofs.some(
    each => each.length === proof.length && timingSafeEqual(Buffer.from(each), proof),
  )
  return isKnown ? `${name}\n${email}` : undefined
}

/** Returns the cookie of a browser with which a person has signed in. */
export function rememberBrowser(
  { config }: Pick<Services, 'config'>,
  cookie: string | undefined,
  email: string,
): string {
  const [given, ...proofs] = cookie?.split('.') ?? []
  const isOurs = given !== undefined && isSecret(given)
  const name = isOurs ? given : newSecret()
  const proof = proofOf(config.secretKey, name, email)
  const others = isOurs ? proofs.filter(each => each !== proof).slice(0, MOST_PEOPLE - 1) : []
  return [name, proof, ...others].join('.')
}

const proofOf = (secretKey: string, name: string, email: string): string =>
  keyedHash(
    Buffer.from(secretKey, 'hex'),
    `known browser\n${name}\n${email.toLowerCase()}`,
    'base64url',
  ).slice(0, 22)
