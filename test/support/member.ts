import { randomUUID } from 'node:crypto'
import { createTeam, createUser } from '../../src/access/teams/accounts.ts'
import { type Plan, type Role, SCOPES, type Scope } from '../../src/access/teams/caller.ts'
import { createToken } from '../../src/access/teams/create-token.ts'
import type { Db } from '../../src/platform/db/connect.ts'

export interface Member {
  teamId: string
  userId: string
  token: string
}

export interface TokenOptions {
  name?: string
  siteIds?: string[] | null
  expiresAt?: Date | null
  scopes?: Scope[]
}

export interface MemberOptions extends TokenOptions {
  plan?: Plan
  trialEndsAt?: Date
  role?: Role
  /** The team that the user joins, instead of a new one. */
  teamId?: string
}

interface Service {
  db: Db
  now: () => Date
}

/** Creates a token of a user, with every scope, for every site and without an end unless given. */
export function newToken(
  { db, now }: Service,
  { teamId, userId }: Omit<Member, 'token'>,
  options: TokenOptions = {},
): Promise<{ id: string; token: string }> {
  const { name = 'test', siteIds = null, expiresAt = null, scopes = [...SCOPES] } = options
  return createToken(db, { teamId, userId, name, siteIds, expiresAt, scopes }, now())
}

/** Creates a team, its user and a token of the user. */
export async function createMember(
  service: Service,
  { plan = 'active', trialEndsAt, role = 'owner', teamId: joined, ...token }: MemberOptions = {},
): Promise<Member> {
  const { db, now } = service
  const teamId = joined ?? (await createTeam(db, { name: 'Test', plan, trialEndsAt }, now()))
  const email = joined ? `${randomUUID()}@example.com` : 'someone@example.com'
  const userId = await createUser(db, { teamId, email, role })
  return { teamId, userId, token: (await newToken(service, { teamId, userId }, token)).token }
}
