import type { Db } from '../../src/db/connect.ts'
import { createTeam, createUser } from '../../src/teams/accounts.ts'
import { type Plan, type Role, SCOPES } from '../../src/teams/schema.ts'
import { createToken } from '../../src/teams/tokens.ts'

export interface Member {
  teamId: string
  userId: string
  token: string
}

export interface MemberOptions {
  plan?: Plan
  trialEndsAt?: Date
  role?: Role
}

/** Creates a team, its user and a token of the user with every scope. */
export async function createMember(
  { db, now }: { db: Db; now: () => Date },
  { plan = 'active', trialEndsAt, role = 'owner' }: MemberOptions = {},
): Promise<Member> {
  const teamId = await createTeam(db, { name: 'Test', plan, trialEndsAt }, now())
  const userId = await createUser(db, { teamId, email: 'someone@example.com', role })
  const token = { teamId, userId, name: 'test', siteIds: null, expiresAt: null, scopes: [...SCOPES] }
  const made = await createToken(db, token, now())
  return { teamId, userId, token: made.token }
}
