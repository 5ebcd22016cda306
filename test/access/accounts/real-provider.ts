import { randomBytes } from 'node:crypto'
import { Provider } from 'oidc-provider'
import { startLocalServer } from '../../support/local-server.ts'
import { newRsaKeys } from './scripted-provider.ts'

/** An OpenID provider with one client, whose forms are filled in by `signIn`. */
export async function startRealProvider(redirectUri: string) {
  const { server, url: issuer, close } = await startLocalServer(() => {})
  const [clientId, clientSecret] = ['analytics', randomBytes(16).toString('hex')]
  const people = new Map<string, { email: string; email_verified: boolean; name: string }>()
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a key'] },
    jwks: { keys: [{ ...newRsaKeys().privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    pkce: { required: () => true },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub)! }) }),
  })
  server.on('request', provider.callback())

  return {
    issuer,
    clientId,
    clientSecret,
    close,
    /** By their subject; a test may change what is known of them. */
    people,
    /** A person gives their name and consent. @returns the address of the service that the provider sends the browser to */
    async signIn(authorizationUrl: string, subject: string): Promise<URL> {
      const jar = new Map<string, string>()
      let url = new URL(authorizationUrl)
      for (let step = 0; step < 20; step++) {
        const form = url.pathname.startsWith('/interaction/') && (await formAt(url, jar, subject))
        const answer = await visit(url, jar, form || undefined)
        const location = answer.headers.get('location')
        if (location === null) throw new Error(`${answer.status} at ${url}: ${await answer.text()}`)
        url = new URL(location, url)
        if (url.origin !== issuer) return url
      }
      throw new Error('the provider goes round in circles')
    },
  }
}

/** Returns what a person writes into the form of a page: their name, then their consent. */
async function formAt(url: URL, jar: Map<string, string>, subject: string): Promise<URLSearchParams> {
  const page = await (await visit(url, jar)).text()
  const prompt = /name="prompt" value="(\w+)"/.exec(page)![1]!
  return new URLSearchParams({ prompt, ...(prompt === 'login' && { login: subject, password: 'any' }) })
}

async function visit(url: URL, jar: Map<string, string>, form?: URLSearchParams): Promise<Response> {
  const answer = await fetch(url, {
    redirect: 'manual',
    headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form && { method: 'POST', body: form }),
  })
  for (const cookie of answer.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
    jar.set(name!, value!)
  }
  return answer
}
