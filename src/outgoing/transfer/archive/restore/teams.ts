import { createHash } from 'node:crypto'
import type { Plan } from '../../../../access/teams/caller.ts'
import type { Db } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { ArchivedTeam, Manifest } from '../manifest.ts'
import type { OpenedFile } from '../open-archive.ts'
import { lineBlocks } from './line-blocks.ts'

interface NewTeam {
  teamId: string
  name: string
  plan: Plan
  trialEndsAt: string | null
  /** Of a hidden team: the team that gets its sites. */
  restoresTo: string | null
}

const insertTeamWithId = query<NewTeam>(
  'insert-team-with-id',
  `insert into teams (id, name, plan, trial_ends_at, restores_to)
  values (
    :teamId::uuid, :name::text, :plan::text, :trialEndsAt::text::timestamptz, :restoresTo::uuid
  )
  on conflict (id) do nothing`,
)

const isTeamThere = query<{ teamId: string }, { id: string }>(
  'is-team-there',
  'select id from teams where id = :teamId::uuid and deleted_at is null',
)

/**
 * Makes the team of an archive unless it exists.
 * @param teamId the team that gets the sites; one that is not of the archive must exist
 * @throws AppError `not_found`
 */
export async function beginTeam(db: Db, team: ArchivedTeam, teamId: string): Promise<void> {
  if (teamId === team.id) {
    const { name, plan, trial_ends_at: trialEndsAt } = team
    await insertTeamWithId(db, { teamId, name, plan, trialEndsAt, restoresTo: null })
  }
  const [found] = await isTeamThere(db, { teamId })
  if (!found) throw new AppError('not_found', 'No such team, or it is being deleted')
}

/** Returns the id of the team without users that has sites until they are whole. It follows from the archive, so that another run finds them. */
export function hiddenTeamIdOf(manifest: Manifest, teamId: string): string {
  const hash = createHash('sha256')
    .update(`${teamId}/${JSON.stringify(manifest)}`)
    .digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
}

export async function beginHiddenTeam(
  db: Db,
  { name }: ArchivedTeam,
  { teamId, hiddenTeamId }: { teamId: string; hiddenTeamId: string },
): Promise<void> {
  const named = [...`Import of ${name}`].slice(0, 255).join('')
  await insertTeamWithId(db, {
    ...{ teamId: hiddenTeamId, name: named, plan: 'none', trialEndsAt: null },
    restoresTo: teamId,
  })
}

/** The purge removes the data of the sites, and then the row of the team. */
const deleteOtherParts = query<{ teamId: string; hiddenTeamId: string; siteIds: string[]; now: Date }>(
  'delete-other-restored-parts',
  `with given_up as (
    update teams
    set deleted_at = :now::timestamptz
    where
      restores_to = :teamId::uuid and id <> :hiddenTeamId::uuid and deleted_at is null
      and exists (select from sites where sites.team_id = teams.id and sites.id = any(:siteIds::uuid[]))
    returning id
  )
  update sites
  set deleted_at = :now::timestamptz
  where team_id in (select id from given_up) and deleted_at is null`,
)

/** Deletes what a stopped import of another archive has left of these sites: it would otherwise stand in the way, and no reader sees it. */
export const giveUpOtherParts = (
  db: Db,
  given: { teamId: string; hiddenTeamId: string; siteIds: string[]; now: Date },
) => deleteOtherParts(db, given)

const deleteHiddenTeam = query<{ teamId: string }>(
  'delete-hidden-team',
  `delete from teams
  where id = :teamId::uuid and not exists (select from sites where sites.team_id = :teamId::uuid)`,
)

export const endHiddenTeam = (db: Db, teamId: string) => deleteHiddenTeam(db, { teamId })

/** Who is in the team already keeps their role. */
const restoreUsers = query<{ teamId: string; rows: string }>(
  'restore-users',
  `insert into users (team_id, email, role, site_ids, created_at)
  select :teamId::uuid, given.email, given.role, given.site_ids, given.created_at
  from jsonb_to_recordset(:rows::text::jsonb) as given (
    email text, role text, site_ids uuid[], created_at timestamptz
  )
  on conflict (team_id, email) do nothing`,
)

/** Adds the users of an archive. They have no login: each sets one up with a link. */
export async function addUsers(db: Db, teamId: string, files: OpenedFile[]): Promise<void> {
  for await (const rows of lineBlocks(files)) await restoreUsers(db, { teamId, rows })
}
