import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../../../platform/lib/secret-box.ts'

const SECRET_BYTES = 32

export const makeSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`

type Sealed = 'url' | 'secret'

/** Bound to the endpoint: a sealed text that is moved to another row cannot be read. */
const placeOf = (endpointId: string, what: Sealed) => `webhook_endpoints/${endpointId}/${what}`

export const sealOf = (secretKey: string, endpointId: string, what: Sealed, text: string): Buffer =>
  seal(secretKey, text, placeOf(endpointId, what))

/** @throws Error when it was sealed with another key */
export const unsealOf = (secretKey: string, endpointId: string, what: Sealed, sealed: Uint8Array): string =>
  unseal(secretKey, sealed, placeOf(endpointId, what))
