import { randomUUID } from 'node:crypto'
import { createLogin } from '../../src/access/accounts/logins.ts'
import { hashPassword } from '../../src/access/accounts/passwords.ts'
import { startSession } from '../../src/access/accounts/sessions.ts'
import { createTeam, createUser } from '../../src/access/teams/accounts.ts'
import type { Role } from '../../src/access/teams/caller.ts'
import { sessionCookieName } from '../../src/http/api/browser.ts'
import type { Services } from '../../src/platform/services.ts'

export interface SignedIn {
  loginId: string
  email: string
  teamId: string
  userId: string
  sessionId: string
  /** The secret in the cookie. */
  secret: string
  /** What a page of the service sends. */
  headers: { Cookie: string; 'Sec-Fetch-Site': string }
}

/** Makes a person with a login, a membership and a session. Without `teamId` the team is new; without `password` the login has none. */
export async function signIn(
  { services }: { services: Pick<Services, 'db' | 'now' | 'config'> },
  options: { teamId?: string; role?: Role; email?: string; name?: string; password?: string; at?: Date } = {},
): Promise<SignedIn> {
  const { db } = services
  const now = options.at ?? services.now()
  const { role = 'owner', email = `${randomUUID()}@example.com`, name = null, password } = options
  const teamId = options.teamId ?? (await createTeam(db, { name: 'Test', plan: 'active' }, now))
  const userId = await createUser(db, { teamId, email, role })
  const passwordHash = password === undefined ? null : await hashPassword(password)
  const [login] = await createLogin(db, { email, name, passwordHash, now })
  const loginId = login!.id
  await db`update users set login_id = ${loginId} where id = ${userId}`
  const client = {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    network: '',
  }
  const { id: sessionId, secret } = await startSession(db, loginId, client, now)
  const headers = headersOf(services, secret)
  return { loginId, email, teamId, userId, sessionId, secret, headers }
}

/** Returns what a page of the service sends with this cookie. */
export const headersOf = ({ config }: Pick<Services, 'config'>, secret: string) => ({
  Cookie: `${sessionCookieName(config.baseUrl)}=${secret}`,
  'Sec-Fetch-Site': 'same-origin',
})
