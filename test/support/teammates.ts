import { randomUUID } from 'node:crypto'
import type { Role } from '../../src/access/teams/caller.ts'
import type { Answer, Api } from './api.ts'
import { type SignedIn, signIn } from './browser-session.ts'
import { deferred } from './deferred.ts'

/** A signed-in person of a team. */
export interface Teammate extends SignedIn {
  ask(method: string, path: string, body?: unknown): Promise<Answer>
}

/** Makes a person with a login, a membership and a session; of a new team without `teamId`. */
export async function teammate(
  api: Api,
  options: Parameters<typeof signIn>[1] & { siteIds?: string[] } = {},
): Promise<Teammate> {
  const person = await signIn(api, options)
  if (options.siteIds) {
    await api.services.db`update users set site_ids = ${options.siteIds} where id = ${person.userId}`
  }
  const { headers } = person
  return { ...person, ask: (method, path, body) => api.call(method, path, { headers, body }) }
}

/** A team with one person of each role. */
export async function wholeTeam(api: Api): Promise<Record<Role, Teammate> & { teamId: string }> {
  const owner = await teammate(api, { role: 'owner' })
  const { teamId } = owner
  const [admin, member, viewer] = await Promise.all(
    (['admin', 'member', 'viewer'] as const).map(role => teammate(api, { teamId, role })),
  )
  return { teamId, owner, admin: admin!, member: member!, viewer: viewer! }
}

/** A new site of a team. @returns its id */
export async function siteOf(api: Api, teamId: string): Promise<string> {
  const [row] = await api.services.db<{ id: string }[]>`
    insert into sites (team_id, domain) values (${teamId}, ${`${randomUUID()}.example`}) returning id`
  return row!.id
}

/** Actions in the audit log of a team, oldest first. */
export async function actionsOf({ services: { db } }: Api, teamId: string) {
  return db<{ action: string; actor: string; details: Record<string, unknown> }[]>`
    select action, actor, details from audit_log where team_id = ${teamId} order by id`
}

/**
 * Stops each request after the service has found out who sends it, until `release` is called. What the caller may do can change
 * meanwhile.
 */
export function holdRequests({ services }: Api) {
  const { limiter } = services
  const released = deferred()
  let held = 0
  let expected = 0
  let arrived = () => {}
  services.limiter = {
    count: async limits => {
      held += 1
      arrived()
      await released.promise
      return limiter.count(limits)
    },
  }
  return {
    /** Resolves when one more request is held than at the call before. */
    async identified() {
      expected += 1
      while (held < expected) {
        await new Promise<void>(resolve => {
          arrived = resolve
        })
      }
    },
    release() {
      services.limiter = limiter
      released.resolve()
    },
  }
}

/** Makes the last proof of a person one of now, as signing in again does. */
export const proveNow = ({ services: { db, now } }: Api, { loginId }: Pick<SignedIn, 'loginId'>) =>
  db`update browser_sessions set authenticated_at = ${now()} where login_id = ${loginId}`
