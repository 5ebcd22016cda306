import { randomUUID } from 'node:crypto'
import { bootstrap, createUser } from '../../src/access/teams/accounts.ts'
import { setupUrl } from '../../src/access/teams/set-up-login.ts'
import { onEnd } from './command.ts'
import type { BenchService } from './service.ts'

/**
 * Makes a viewer with a session in the team of the measurements, who is removed at the end.
 * @returns the cookie of the session, `name=value`
 */
export async function signInForBench({ api, db, url }: BenchService): Promise<string> {
  const email = `${randomUUID()}@bench.example`
  const team = await api<{ id: string }>('GET', '/api/team')
  const userId = await createUser(db, { teamId: team.id, email, role: 'viewer' })
  onEnd(async () => {
    await api('DELETE', `/api/users/${userId}`)
    await db`delete from logins where email = ${email}`
  })
  return setUp(url, await setupUrl(db, { baseUrl: url }, email, new Date()), {})
}

/**
 * Makes the first owner of an empty service, and their session.
 * @returns the cookie of the session, `name=value`
 */
export async function bootstrapOwner({ db, url }: BenchService): Promise<string> {
  const { setup_url: link } = await bootstrap(db, { baseUrl: url }, new Date())
  return setUp(url, link!, { email: 'ada@fieldnote.example', name: 'Ada' })
}

async function setUp(url: string, link: string, person: object): Promise<string> {
  const answer = await fetch(`${url}/api/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret: link.split('#')[1], password: randomUUID(), ...person }),
  })
  if (!answer.ok) throw new Error(`the set-up answers ${answer.status}: ${await answer.text()}`)
  return answer.headers.getSetCookie()[0]!.split(';')[0]!
}
