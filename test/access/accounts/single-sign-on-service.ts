import { hashSecret, newSecret } from '../../../src/access/accounts/secrets.ts'
import type { Api } from '../../support/api.ts'

/** A browser at the service: it keeps cookies, and does not follow the service to other places. */
export function newBrowser(api: Api, cookies: Record<string, string> = {}) {
  const jar = new Map(Object.entries(cookies))

  async function send(method: string, path: string, body?: unknown) {
    const answer = await fetch(api.url + path, {
      method,
      redirect: 'manual',
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        'User-Agent': 'Browser/1.0',
        Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const set = answer.headers.getSetCookie()
    for (const cookie of set) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
      if (value === '') jar.delete(name!)
      else jar.set(name!, value!)
    }
    const text = await answer.text()
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      set,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }

  return {
    jar,
    send,
    /** Starts a sign-in. @returns the address at the provider */
    async start(options: { link?: string; return_to?: string } = {}): Promise<string> {
      const answer = await send('POST', '/api/auth/oidc/start', options)
      if (answer.status !== 200) throw new Error(`start: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body.url
    },
    /** Comes back from the provider. @returns where the service sends the browser then, without its origin */
    async comeBack(parameters: URLSearchParams): Promise<string> {
      const answer = await send('GET', `/api/auth/oidc/callback?${parameters}`)
      const { baseUrl } = api.services.config
      if (answer.status !== 302 || !answer.location!.startsWith(baseUrl)) {
        throw new Error(`callback: ${answer.status} ${answer.location} ${JSON.stringify(answer.body)}`)
      }
      return answer.location!.slice(baseUrl.length)
    },
    /** Whether the browser is signed in. */
    isSignedIn: async () => (await send('GET', '/api/account/identities')).status === 200,
  }
}

const IN_A_DAY = () => new Date(Date.now() + 86_400_000)

/** @returns the secret of an invitation */
export async function invite(
  { services: { db } }: Api,
  teamId: string,
  email: string,
  expiresAt = IN_A_DAY(),
) {
  const secret = newSecret()
  await db`
    insert into invitations (team_id, email, role, hash, invited_by, expires_at, created_at)
    values (${teamId}, ${email}, 'member', ${hashSecret(secret)}, 'Ada', ${expiresAt}, now())`
  return secret
}

/** @returns the secret of a link that makes the login of the users with the address, or gets a person back into their login */
export async function newLink(
  { services: { db } }: Api,
  link: { email: string } | { loginId: string },
  { purpose, expiresAt = IN_A_DAY() }: { purpose: 'setup' | 'reset' | 'recover'; expiresAt?: Date },
) {
  const secret = newSecret()
  const { email = null, loginId = null } = link as { email?: string; loginId?: string }
  await db`
    insert into one_time_links (hash, purpose, email, login_id, expires_at)
    values (${hashSecret(secret)}, ${purpose}, ${email}, ${loginId}, ${expiresAt})`
  return secret
}

/** Logins with their roles in their teams. */
export const usersOf = ({ services: { db } }: Api, teamId: string) =>
  db<{ email: string; role: string; loginEmail: string | null }[]>`
    select users.email, users.role, logins.email as "loginEmail"
    from users left join logins on logins.id = users.login_id
    where team_id = ${teamId} order by users.created_at, users.email`
