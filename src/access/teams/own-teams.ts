import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { flag, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { requiredName } from '../../platform/schema/validation.ts'
import type { Services } from '../../platform/services.ts'
import { type Audit, auditOf } from '../audit/audit.ts'
import { createTeam } from './accounts.ts'
import { type Caller, PLANS, type Plan, type Role } from './caller.ts'
import type { Person } from './credentials.ts'
import { lockTeam } from './lock-team.ts'
import { ownPassword, roleField } from './user-schema.ts'

/** Teams that a login may own; one more could be made by another login. */
export const MAX_TEAMS = 20

const teamName = requiredName(255).meta({ description: 'Name of the team.', example: 'Acme' })

const teamFields = {
  id: uuid('Team id; the header `X-Team` takes it.'),
  name: label('Name of the team.', 'Acme'),
  role: roleField.meta({ description: 'What you may do in it.' }),
  plan: z.enum(PLANS).meta({ description: 'Its plan.', example: 'active' }),
}

export const OwnTeam = z
  .object({
    ...teamFields,
    is_current: flag('Whether the request acts in this team.', true),
  })
  .meta({ id: 'OwnTeam' })
export type OwnTeam = z.infer<typeof OwnTeam>
export const OwnTeamList = z.array(OwnTeam)

export const Team = z
  .object({
    ...teamFields,
    trial_ends_at: timestamp('When the trial ends; null for plans other than trial.').nullable(),
    created_at: timestamp('When the team was made.'),
  })
  .meta({ id: 'Team' })
export type Team = z.infer<typeof Team>

export const NameTeam = z.object({ name: teamName })
export type NameTeam = z.infer<typeof NameTeam>

export const DeleteTeam = z.object({
  name: teamName.meta({ description: 'Name of the team, to confirm that it is the right one.' }),
  password: ownPassword,
})
export type DeleteTeam = z.infer<typeof DeleteTeam>

const selectTeams = query<{ loginId: string }, Omit<OwnTeam, 'is_current'>>(
  'list-own-teams',
  `select teams.id, teams.name, users.role, teams.plan
  from users
  join teams on teams.id = users.team_id
  where users.login_id = :loginId and teams.deleted_at is null
  order by users.created_at, users.id`,
)

/** Returns the teams of a person, in the order in which they joined. */
export async function listOwnTeams(
  { db }: Pick<Services, 'db'>,
  person: Person,
  caller: Caller | null,
): Promise<OwnTeam[]> {
  const teams = await selectTeams(db, { loginId: person.loginId })
  return teams.map(team => ({ ...team, is_current: team.id === caller?.teamId }))
}

const lockLogin = query<{ loginId: string }, { id: string }>(
  'lock-login',
  'select id from logins where id = :loginId for no key update',
)

const countOwnedTeams = query<{ loginId: string }, { count: number }>(
  'count-owned-teams',
  `select count(*)::int as count from users where login_id = :loginId and role = 'owner'`,
)

const insertOwner = query<{ teamId: string; email: string; loginId: string; now: Date }, { id: string }>(
  'create-owner',
  `insert into users (team_id, email, role, login_id, created_at)
  values (:teamId, :email, 'owner', :loginId, :now)
  returning id`,
)

/**
 * Makes a team that a person owns.
 * @param services.auditNetwork network of the person, for the log of the new team
 * @throws AppError `forbidden` when they own as many as one may
 */
export async function createOwnTeam(
  { db, now, auditNetwork }: Pick<Services, 'db' | 'now'> & { auditNetwork: string },
  { loginId, email }: Person,
  { name }: NameTeam,
): Promise<OwnTeam> {
  const at = now()
  return db.begin(async transaction => {
    await lockLogin(transaction, { loginId })
    const [owned] = await countOwnedTeams(transaction, { loginId })
    if (owned!.count >= MAX_TEAMS) {
      throw new AppError('forbidden', `You own ${MAX_TEAMS} teams, as many as one may`)
    }
    const plan: Plan = 'active'
    const teamId = await createTeam(transaction, { name, plan }, at)
    const [owner] = await insertOwner(transaction, { teamId, email, loginId, now: at })
    const actor = { teamId, loginId, userId: owner!.id, tokenId: null, name: email, network: auditNetwork }
    await auditOf(actor, now)(transaction, {
      action: 'team.create',
      object: { type: 'team', id: teamId },
      details: { name },
    })
    return { id: teamId, name, role: 'owner' as Role, plan, is_current: false }
  })
}

const selectTeam = query<{ teamId: string }, { name: string; createdAt: Date }>(
  'read-team',
  'select name, created_at as "createdAt" from teams where id = :teamId and deleted_at is null',
)

/** Returns the team in which the caller acts. */
export async function getTeam({ db }: Pick<Services, 'db'>, caller: Caller): Promise<Team> {
  const { teamId, role, plan, trialEndsAt } = caller
  const [team] = await selectTeam(db, { teamId })
  if (!team) throw new AppError('forbidden', 'The team was deleted')
  return {
    ...{ id: teamId, name: team.name, role, plan },
    trial_ends_at: trialEndsAt?.toISOString() ?? null,
    created_at: team.createdAt.toISOString(),
  }
}

const updateName = query<{ teamId: string; name: string }>(
  'rename-team',
  'update teams set name = :name where id = :teamId',
)

/** Names need not be unique. */
export async function renameTeam(
  { db, audit }: Pick<Services, 'db'> & { audit: Audit },
  caller: Caller,
  { name }: NameTeam,
): Promise<Team> {
  const { teamId } = caller
  await db.begin(async transaction => {
    const before = await lockTeam(transaction, teamId)
    await audit(transaction, {
      action: 'team.rename',
      object: { type: 'team', id: teamId },
      details: { name, name_before: before.name },
    })
    await updateName(transaction, { teamId, name })
  })
  return getTeam({ db }, caller)
}
