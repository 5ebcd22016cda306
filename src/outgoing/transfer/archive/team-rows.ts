import type { Plan } from '../../../access/teams/caller.ts'
import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import type { ArchivedTeam } from './manifest.ts'

interface TeamRow {
  id: string
  name: string
  plan: Plan
  trialEndsAt: Date | null
}

const findArchivedTeam = query<{ teamId: string }, TeamRow>(
  'find-archived-team',
  `select id, name, plan, trial_ends_at as "trialEndsAt"
  from teams
  where id = :teamId::uuid and deleted_at is null`,
)

/** @throws AppError `not_found` */
export async function readTeam(db: Queryable, teamId: string): Promise<ArchivedTeam> {
  const [team] = await findArchivedTeam(db, { teamId })
  if (!team) throw new AppError('not_found', 'No such team')
  const { trialEndsAt, ...rest } = team
  return { ...rest, trial_ends_at: trialEndsAt?.toISOString() ?? null }
}

/** Who is in the team, with the role and sites that they may reach; nothing of how they sign in. */
const archiveUsers = query<{ teamId: string }, { line: string }>(
  'archive-users',
  `select
    jsonb_build_object('email', email, 'role', role, 'site_ids', site_ids, 'created_at', created_at)::text as line
  from users
  where team_id = :teamId::uuid
  order by created_at, id`,
)

/** Returns the lines of the users of a team; teams are small. */
export async function readUserLines(db: Queryable, teamId: string): Promise<string[]> {
  return (await archiveUsers(db, { teamId })).map(({ line }) => line)
}

export interface ArchivedSite {
  siteNo: number
  id: string
  domain: string
  timezone: string
  detailsFrom: Date | null
  historyFrom: Date | null
}

const listArchivedSites = query<{ teamId: string }, ArchivedSite>(
  'list-archived-sites',
  `select site_no as "siteNo", id, domain, timezone, details_from as "detailsFrom", history_from as "historyFrom"
  from sites
  where team_id = :teamId::uuid and deleted_at is null
  order by site_no`,
)

/** Returns the sites of a team in the order of their creation. */
export const readSites = (db: Queryable, teamId: string): Promise<ArchivedSite[]> =>
  listArchivedSites(db, { teamId })
