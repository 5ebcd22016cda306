import { type Db, statement } from '../infra/db.ts'
import { createTeam } from './teams.ts'
import { createToken } from './tokens.ts'
import { createUser } from './users.ts'

const TEAM = 'Default'
const OWNER = 'owner@localhost'

const lockBootstrap = statement('lock-bootstrap')
const findTeamNamed = statement<{ id: string }>('find-team-named')

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
