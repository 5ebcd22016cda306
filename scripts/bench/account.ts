import { createTeam, createUser, findTeamNamed } from '../../src/teams/accounts.ts'
import { createToken } from '../../src/teams/tokens.ts'
import type { BenchService } from './service.ts'

const TEAM = 'Benchmark'
const OWNER = 'benchmark@localhost'
/** The seeded site that is measured. */
export const LARGE_SITE = 'large.bench.example'

/** Calls the authenticated API. @throws Error for any answer except a success */
export type Api = <Answer>(method: string, path: string, body?: object) => Promise<Answer>

export interface Account {
  token: string
  api: Api
}

/**
 * Creates a token for the team that all measurements share.
 * @param onEnd registers the revocation of the token
 */
export async function openAccount(
  { db, url }: Pick<BenchService, 'db' | 'url'>,
  onEnd: (stop: () => unknown) => void,
): Promise<Account> {
  const [existing] = await findTeamNamed(db, { name: TEAM })
  const teamId = existing?.id ?? (await createTeam(db, { name: TEAM, plan: 'active' }, new Date()))
  const userId = await createUser(db, { teamId, email: OWNER, role: 'owner' })
  const options = { teamId, userId, name: 'benchmark', siteIds: null, expiresAt: null }
  const { id, token } = await createToken(db, options, new Date())
  const api: Api = async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  onEnd(() => api('DELETE', `/api/tokens/${id}`))
  return { token, api }
}
