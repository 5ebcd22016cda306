import { randomUUID } from 'node:crypto'
import { lockTeam } from '../../../../access/teams/lock-team.ts'
import type { Db, Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { AppError } from '../../../../platform/errors.ts'
import { lineBlocks } from './line-blocks.ts'
import { type FilesOf, restoreRows } from './restore-rows.ts'

// A site belongs to a team without users until it is whole: no reader sees it, and no tracker's hit reaches it.

export interface RestoredSite {
  siteNo: number
  siteId: string
  timezone: string
  trackingMode: 'cookieless' | 'cookie'
}

interface Found extends RestoredSite {
  teamId: string
  domain: string
  isDeleted: boolean
}

const findSiteToRestore = query<{ siteId: string }, Found>(
  'find-site-to-restore',
  `select
    site_no as "siteNo", id as "siteId", timezone, tracking_mode as "trackingMode", team_id as "teamId", domain,
    deleted_at is not null as "isDeleted"
  from sites
  where id = :siteId::uuid and purged_at is null`,
)

/** A deleted site whose data is gone keeps its row, so that its number is not used again, but needs no id. */
const freeSiteId = query<{ siteId: string; unusedId: string; unusedKey: string }>(
  'free-site-id',
  `update sites
  set id = :unusedId::uuid, tracking_key = :unusedKey::uuid
  where id = :siteId::uuid and purged_at is not null`,
)

/** Without retention: it would drop details before all of them are there, and what money needs of sessions whose details are gone. */
const insertRestoredSite = query<
  { siteId: string; rows: string; hiddenTeamId: string; key: string },
  { siteNo: number }
>(
  'insert-restored-site',
  `insert into sites overriding user value
  select given.*
  from jsonb_array_elements(:rows::text::jsonb) as line
  cross join lateral jsonb_populate_record(
    null::sites,
    line || jsonb_build_object(
      'id', :siteId::uuid, 'team_id', :hiddenTeamId::uuid, 'tracking_key', :key::uuid, 'is_public', false, 'first_event_at', null,
      'watches_goals', false, 'retention_months', null, 'details_moved_at', null, 'details_dropped_to', null
    )
  ) as given
  returning site_no as "siteNo"`,
)

const showSite = query<{ siteNo: number; teamId: string; rows: string }, { trackingKey: string }>(
  'show-restored-site',
  `update sites
  set
    team_id = :teamId::uuid,
    tracking_key = (line ->> 'tracking_key')::uuid,
    is_public = (line ->> 'is_public')::boolean,
    first_event_at = (line ->> 'first_event_at')::timestamptz,
    retention_months = (line ->> 'retention_months')::int,
    details_moved_at = (line ->> 'details_moved_at')::timestamptz
  from jsonb_array_elements(:rows::text::jsonb) as line
  where site_no = :siteNo::int
  returning tracking_key as "trackingKey"`,
)

const countSitesWithDomain = query<{ teamId: string; siteNo: number }, { count: number }>(
  'count-sites-with-domain',
  `select count(*)::int as count
  from sites
  where
    team_id = :teamId::uuid and deleted_at is null
    and domain = (select domain from sites where site_no = :siteNo::int)`,
)

export interface SiteToRestore {
  siteId: string
  /** Team that gets the site, and the one that has it until then. */
  teamId: string
  hiddenTeamId: string
  filesOf: FilesOf
}

/** @throws AppError `bad_request` when another team of this database has the site, or it is being deleted */
export async function requireFreeSite(
  db: Db,
  { siteId, teamId, hiddenTeamId }: Omit<SiteToRestore, 'filesOf'>,
): Promise<void> {
  const [known] = await findSiteToRestore(db, { siteId })
  if (!known) return
  if (known.isDeleted) {
    throw new AppError(
      'bad_request',
      `The site ${known.domain} is in this database and is being deleted; import again when its data is gone, while the service runs`,
    )
  }
  if (known.teamId !== teamId && known.teamId !== hiddenTeamId) {
    throw new AppError('bad_request', `Another team of this database has the site ${known.domain} already`)
  }
}

/**
 * Makes the site with its definitions, unless an earlier run has made it.
 * @returns undefined when an earlier run has restored it wholly
 */
export async function beginSite(db: Db, given: SiteToRestore): Promise<RestoredSite | undefined> {
  const { siteId, teamId, hiddenTeamId, filesOf } = given
  const [known] = await findSiteToRestore(db, { siteId })
  if (known?.teamId === teamId) return undefined
  if (known?.teamId === hiddenTeamId) return known
  return db.begin(async tx => {
    await freeSiteId(tx, { siteId, unusedId: randomUUID(), unusedKey: randomUUID() })
    const rows = await settingsOf(given)
    const [site] = await insertRestoredSite(tx, { siteId, rows, hiddenTeamId, key: randomUUID() })
    if (!site) throw new AppError('validation_failed', `The archive has no settings of the site ${siteId}`)
    await restoreRows(tx, site.siteNo, filesOf, 'begin')
    const [made] = await findSiteToRestore(tx, { siteId })
    return made!
  })
}

/**
 * Gives a site that is whole to its team.
 * @returns its tracking key
 * @throws AppError `bad_request` when the team has a site for the domain
 */
export const finishSite = (db: Db, { siteNo }: RestoredSite, given: SiteToRestore): Promise<string> =>
  db.begin(async tx => {
    const { teamId } = given
    await lockTeam(tx, teamId)
    await requireFreeDomain(tx, teamId, siteNo)
    const [site] = await showSite(tx, { siteNo, teamId, rows: await settingsOf(given) })
    return site!.trackingKey
  })

async function requireFreeDomain(tx: Transaction, teamId: string, siteNo: number): Promise<void> {
  const [sites] = await countSitesWithDomain(tx, { teamId, siteNo })
  if (sites!.count > 0) {
    throw new AppError(
      'bad_request',
      'The team has a site with the same domain as one of the archive; delete or rename it, and import again',
    )
  }
}

async function settingsOf({ filesOf }: SiteToRestore): Promise<string> {
  for await (const rows of lineBlocks(filesOf('settings'))) return rows
  return '[]'
}
