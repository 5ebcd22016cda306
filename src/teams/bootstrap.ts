import { type Db, statement } from '../infra/db.ts'
import { createTeam } from './teams.ts'
import { createToken } from './tokens.ts'
import { createUser } from './users.ts'

const TEAM = 'Default'
const OWNER = 'owner@localhost'

const lockBootstrap = statement('lock-bootstrap')
const findTeamNamed = statement<{ id: string }>('find-team-named')

/** The answer of the first run, and of every later one. */
export interface Bootstrapped {
  team_id: string
  user_id: string
  /** Shown by the run that made it; null later. */
  token: string | null
  /** Whether this run made the team. */
  created: boolean
}

/**
 * Makes sure there is the team "Default" with a paid plan and an owner. The run that makes the team also makes
 * the owner's token. Runs at the same time wait for one another.
 */
export async function bootstrap(db: Db, now: Date): Promise<Bootstrapped> {
  return db.begin(async transaction => {
    await lockBootstrap(transaction)
    const [existing] = await findTeamNamed(transaction, TEAM)
    const teamId = existing?.id ?? (await createTeam(transaction, { name: TEAM, plan: 'active' }, now))
    const userId = await createUser(transaction, { teamId, email: OWNER, role: 'owner' })
    if (existing) return { team_id: teamId, user_id: userId, token: null, created: false }
    const options = { teamId, userId, name: 'bootstrap', siteIds: null, expiresAt: null }
    const { token } = await createToken(transaction, options, now)
    return { team_id: teamId, user_id: userId, token, created: true }
  })
}
