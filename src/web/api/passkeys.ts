import { api } from './client.ts'
import type { Inputs, Outputs } from './types.ts'

/** Passkeys need a browser that knows them, and a page that came over https or from this machine. */
export const canUsePasskeys = (): boolean => typeof PublicKeyCredential === 'function'

/** Signs in with a passkey that the person chooses. @throws the error of the browser when the person chooses none */
export async function signInWithPasskey(): Promise<Outputs['passkeys']['login']> {
  const { challenge, rpId, timeout, userVerification } = await api.passkeys.loginOptions.mutate()
  const publicKey = { challenge: bytesOf(challenge), rpId, timeout, userVerification }
  const given = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    given.response as AuthenticatorAssertionResponse
  const response = {
    clientDataJSON: textOf(clientDataJSON),
    authenticatorData: textOf(authenticatorData),
    signature: textOf(signature),
    userHandle: userHandle && textOf(userHandle),
  }
  return api.passkeys.login.mutate({ credential: { ...idOf(given), response } })
}

/** Makes a passkey of the signed-in person. @throws the error of the browser when the person stops it */
export async function addPasskey(
  name: string,
  proof: Inputs['passkeys']['addOptions'],
): Promise<Outputs['passkeys']['add']> {
  const options = await api.passkeys.addOptions.mutate(proof)
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials.map(({ type, id, transports }) => ({
      ...{ type, id: bytesOf(id) },
      transports: transports as AuthenticatorTransport[],
    })),
  }
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
  const { clientDataJSON, attestationObject, getTransports } =
    made.response as AuthenticatorAttestationResponse
  const response = {
    clientDataJSON: textOf(clientDataJSON),
    attestationObject: textOf(attestationObject),
    transports: getTransports?.call(made.response) ?? [],
  }
  return api.passkeys.add.mutate({ name, credential: { ...idOf(made), response } })
}

const idOf = ({ id, rawId }: PublicKeyCredential) => ({
  id,
  rawId: textOf(rawId),
  type: 'public-key' as const,
})

const bytesOf = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0))

const textOf = (buffer: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
