import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { startLocalServer } from '../../support/local-server.ts'

/** What the token endpoint answers to the next code; claims that are left out are right. */
export interface Script {
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  /** Signs with another key than the one that the provider publishes. */
  key?: KeyObject
  signature?: string
  /** Status of the token endpoint. */
  status?: number
  /** Answers of the endpoint for the profile; without it there is none. */
  profile?: Record<string, unknown>
  methods?: string[]
}

export const newRsaKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

/** A provider that answers every code with the token that a test has scripted: right, or wrong in one place. */
export async function startScriptedProvider(clientId: string) {
  const { privateKey, publicKey } = newRsaKeys()
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }
  const requests: { path: string; headers: IncomingHttpHeaders; body: URLSearchParams }[] = []
  let script: Script = {}
  let nonce = ''

  function idToken(): string {
    const now = Math.floor(Date.now() / 1000)
    const right = { iss: issuer, aud: clientId, sub: 'someone', nonce, iat: now, exp: now + 300 }
    const header = { alg: 'RS256', kid: 'one', ...script.header }
    const parts = [header, { ...right, ...script.claims }]
    const text = parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const signature = sign('sha256', Buffer.from(text), script.key ?? privateKey).toString('base64url')
    return `${text}.${script.signature ?? signature}`
  }

  const answers: Record<string, () => object> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      ...(script.profile && { userinfo_endpoint: `${issuer}/profile` }),
      ...(script.methods && { token_endpoint_auth_methods_supported: script.methods }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'none'],
    }),
    '/jwks': () => ({ keys: [jwk] }),
    '/token': () => ({ access_token: 'secret-access-token', token_type: 'Bearer', id_token: idToken() }),
    '/profile': () => script.profile!,
  }

  const { url: issuer, close } = await startLocalServer(async (req, res) => {
    const path = req.url!.split('?')[0]!
    let body = ''
    for await (const chunk of req) body += chunk
    requests.push({ path, headers: req.headers, body: new URLSearchParams(body) })
    const status = (path === '/token' && script.status) || 200
    res.writeHead(status, { 'Content-Type': 'application/json' })
    res.end(JSON.stringify(status === 200 ? answers[path]!() : { error: 'invalid_grant' }))
  })

  return {
    issuer,
    requests,
    close,
    /** The person signs in: returns the parameters with which the provider sends the browser back. */
    answer(authorizationUrl: string, next: Script = {}): URLSearchParams {
      const asked = new URL(authorizationUrl).searchParams
      script = next
      nonce = asked.get('nonce')!
      return new URLSearchParams({ code: 'secret-code', state: asked.get('state')! })
    },
    set(next: Script) {
      script = next
    },
  }
}
