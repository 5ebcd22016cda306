import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../errors.ts'

/**
 * Verifies that the site's own server signed the identity. The tracking key proves nothing: it is public in every page.
 * @param identifier the identifier in the form in which it is stored
 * @param signature HMAC-SHA-256 of the identifier in hex digits; may be any value, because it comes from the sender
 * @throws AppError `validation_failed`
 */
export function verifyIdentity(identifier: string, signature: unknown, secret: string): void {
  if (signature === undefined || signature === null || signature === '') {
    throw refusal('is required: this site takes only identities that are signed with its identify secret')
  }
  const right = createHmac('sha256', secret).update(identifier).digest()
  const isForm = typeof signature === 'string' && /^[0-9a-f]{64}$/i.test(signature)
  if (!isForm || !timingSafeEqual(Buffer.from(signature, 'hex'), right)) {
    throw refusal(
      'does not fit: send the HMAC-SHA-256 of the identifier, keyed with the identify secret, as 64 hex digits',
    )
  }
}

const refusal = (problem: string) =>
  new AppError('validation_failed', `signature ${problem}`, { fields: { signature: [problem] } })
