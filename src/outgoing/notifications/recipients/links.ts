import { timingSafeEqual } from 'node:crypto'
import { validate as isUuid } from 'uuid'
import type { Config } from '../../../platform/config/config.ts'
import { keyedHash } from '../../../platform/lib/keyed-hash.ts'

// Links of mails work without a login: the id of a recipient, and a keyed hash that only the service can make. The link of one purpose
// does not work for the other.

type Purpose = 'confirm' | 'unsubscribe'
type Secrets = Pick<Config, 'secretKey'>

const SIGNATURE_LENGTH = 32

function signatureOf({ secretKey }: Secrets, purpose: Purpose, id: string): string {
  const key = Buffer.from(secretKey, 'hex')
  return keyedHash(key, `report-link\n${purpose}\n${id}`, 'base64url').slice(0, SIGNATURE_LENGTH)
}

/** Returns the address of the page, in the web interface, on which a recipient confirms or unsubscribes. */
export const linkTo = (config: Pick<Config, 'secretKey' | 'baseUrl'>, purpose: Purpose, id: string): string =>
  `${config.baseUrl}/mail/${purpose}/${id}.${signatureOf(config, purpose, id)}`

/** Returns the headers by which mail programs offer to unsubscribe (RFC 8058). */
export const unsubscribeHeaders = (config: Pick<Config, 'secretKey' | 'baseUrl'>, id: string) => ({
  'List-Unsubscribe': `<${linkTo(config, 'unsubscribe', id)}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/** Returns the id of the recipient whose link a token is from; undefined for any other text. */
export function recipientOf(config: Secrets, purpose: Purpose, token: string): string | undefined {
  const [id = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !isUuid(id)) return undefined
  const expected = Buffer.from(signatureOf(config, purpose, id))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined
}
