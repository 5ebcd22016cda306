import { randomUUID } from 'node:crypto'
import { createTeam, createUser } from '../../src/access/teams/accounts.ts'
import type { Role } from '../../src/access/teams/caller.ts'
import { setupUrl } from '../../src/access/teams/set-up-login.ts'
import type { Answer, Api } from './api.ts'
import { headersOf } from './browser-session.ts'

export const PASSWORD = 'correct horse battery staple'

/** The value of the session cookie that an answer sets; undefined when it sets none, empty when it removes the cookie. */
export function cookieOf({ headers }: Pick<Answer, 'headers'>): string | undefined {
  const cookie = headers.getSetCookie().find(each => each.includes('analytics_session='))
  return cookie && /analytics_session=([^;]*)/.exec(cookie)?.[1]
}

/** A user whose login is not set up yet, with the secret of a setup link. */
export async function invitee(
  { services: { db, now } }: Pick<Api, 'services'>,
  {
    role = 'owner',
    email = `${randomUUID()}@example.com`,
    teamId,
  }: { role?: Role; email?: string; teamId?: string } = {},
) {
  const team = teamId ?? (await createTeam(db, { name: 'Acme', plan: 'active' }, now()))
  const userId = await createUser(db, { teamId: team, email, role })
  const url = await setupUrl(db, { baseUrl: 'http://a.example' }, email, now())
  return { teamId: team, userId, email, secret: url.split('#')[1]! }
}

/** Sets a login up, as a person does. */
export async function setUp(api: Api, options: Parameters<typeof invitee>[1] & { password?: string } = {}) {
  const { password = PASSWORD, ...rest } = options
  const person = await invitee(api, rest)
  const answer = await api.call('POST', '/api/auth/setup', { body: { secret: person.secret, password } })
  if (answer.status !== 200) throw new Error(`set-up: ${JSON.stringify(answer.body)}`)
  return { ...person, password, loginId: answer.body.id as string, cookie: cookieOf(answer)! }
}

/** Entries about a login in the audit log, the oldest first. */
export const entriesOf = ({ services: { db } }: Pick<Api, 'services'>, loginId: string) =>
  db<
    {
      action: string
      actor: string
      details: Record<string, unknown>
      teamId: string | null
      network: string
    }[]
  >`
    select action, actor, details, team_id as "teamId", network from audit_log where login_id = ${loginId} order by id`

/** Headers of a page of the service with a cookie. */
export const withCookie = ({ services }: Pick<Api, 'services'>, secret: string) => headersOf(services, secret)

/** A browser with a session, which sends requests one after the other; each may give the session a new secret. */
export function browserOf(api: Api, secret: string, more: Record<string, string> = {}) {
  const browser = {
    secret,
    headers: (): Record<string, string> => ({ ...headersOf(api.services, browser.secret), ...more }),
    async ask(method: string, path: string, body?: object): Promise<Answer> {
      const answer = await api.call(method, path, { headers: browser.headers(), body })
      browser.secret = cookieOf(answer) || browser.secret
      return answer
    },
  }
  return browser
}
