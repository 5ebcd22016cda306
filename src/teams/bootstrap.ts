import { ADVISORY_LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { createTeam } from './teams.ts'
import { createToken } from './tokens.ts'
import { createUser } from './users.ts'

const TEAM = 'Default'
const OWNER = 'owner@localhost'

const lockBootstrap = query<{ lock: number }>('lock-bootstrap', 'select pg_advisory_xact_lock(:lock::bigint)')
/** The oldest team with the name. */
export const findTeamNamed = query<{ name: string }, { id: string }>(
  'find-team-named',
  'select id from teams where name = :name order by created_at, id limit 1',
)

/** Result of the first run and of every later run. */
export interface Bootstrapped {
  team_id: string
  user_id: string
  /** Present only in the result of the run that created it; null later. */
  token: string | null
  /** Whether this run created the team. */
  created: boolean
}

/**
 * Ensures that the team "Default" exists, with a paid plan and an owner. The run that creates the team also creates
 * the owner's token. Concurrent runs wait for each other.
 */
export async function bootstrap(db: Db, now: Date): Promise<Bootstrapped> {
  return db.begin(async transaction => {
    await lockBootstrap(transaction, { lock: ADVISORY_LOCKS.bootstrap })
    const [existing] = await findTeamNamed(transaction, { name: TEAM })
    const teamId = existing?.id ?? (await createTeam(transaction, { name: TEAM, plan: 'active' }, now))
    const userId = await createUser(transaction, { teamId, email: OWNER, role: 'owner' })
    if (existing) return { team_id: teamId, user_id: userId, token: null, created: false }
    const options = { teamId, userId, name: 'bootstrap', siteIds: null, expiresAt: null }
    const { token } = await createToken(transaction, options, now)
    return { team_id: teamId, user_id: userId, token, created: true }
  })
}
