import { api, type Inputs, type Outputs } from './client.ts'

/** Passkeys need a browser that knows them, and a page that came over https or from this machine. */
export const canUsePasskeys = (): boolean => typeof PublicKeyCredential === 'function'

/** Signs in with a passkey that the person chooses. @throws the error of the browser when the person chooses none */
export async function signInWithPasskey(): Promise<Outputs['passkeys']['login']> {
  const options = await api.passkeys.loginOptions.mutate()
  return api.passkeys.login.mutate(await signed(options))
}

/** Proves with a passkey who the signed-in person is. @throws as `signInWithPasskey` */
export async function proveWithPasskey(): Promise<Outputs['account']['prove']> {
  const { allowCredentials, ...options } = await api.account.proofOptions.mutate()
  return api.account.prove.mutate(await signed({ ...options, allowCredentials: named(allowCredentials) }))
}

type Options = Outputs['passkeys']['loginOptions'] & {
  allowCredentials?: PublicKeyCredentialDescriptor[]
}

/** Lets an authenticator sign. */
async function signed({ challenge, ...options }: Options): Promise<Inputs['passkeys']['login']> {
  const publicKey = { ...options, challenge: bytesOf(challenge) }
  const given = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    given.response as AuthenticatorAssertionResponse
  const response = {
    clientDataJSON: textOf(clientDataJSON),
    authenticatorData: textOf(authenticatorData),
    signature: textOf(signature),
    userHandle: userHandle && textOf(userHandle),
  }
  return { credential: { ...idOf(given), response } }
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
    excludeCredentials: named(options.excludeCredentials),
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

const named = (passkeys: Outputs['account']['proofOptions']['allowCredentials']) =>
  passkeys.map(({ type, id, transports }) => ({
    ...{ type, id: bytesOf(id) },
    transports: transports as AuthenticatorTransport[],
  }))

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
