import { createHmac } from 'node:crypto'

/** Header of the signature; its value has the form of `Stripe-Signature`. */
export const SIGNATURE_HEADER = 'Analytics-Signature'

/**
 * Returns the value of the header: `t=<Unix seconds>,v1=<hex>`, one `v1` for each secret. The HMAC-SHA-256 is that of
 * `<t>.<body>`, keyed with the whole secret as text.
 * @see docs/notifications.md "Verify a signature"
 */
export function signatureOf(body: string, secrets: readonly string[], at: Date): string {
  const time = Math.floor(at.getTime() / 1_000)
  const hashes = secrets.map(secret => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
  return [`t=${time}`, ...hashes.map(hash => `v1=${hash}`)].join(',')
}
