import { call } from './api.js'

const bytesOf = text =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0))

const textOf = buffer =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')

export const canUsePasskeys = () => typeof PublicKeyCredential === 'function'

/** Signs in with a passkey that the person chooses. @throws ApiError, or the error of the browser */
export async function signInWithPasskey() {
  const { challenge, rpId, timeout, userVerification } = await call('POST', 'auth/passkey/options', {
    body: {},
  })
  const publicKey = { challenge: bytesOf(challenge), rpId, timeout, userVerification }
  const { id, rawId, type, response } = await navigator.credentials.get({ publicKey })
  const credential = {
    id,
    rawId: textOf(rawId),
    type,
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      userHandle: response.userHandle && textOf(response.userHandle),
    },
  }
  await call('POST', 'auth/passkey', { body: { credential } })
}
