import { type ImportProgress, importHits } from '../../../../ingestion/import/import-hits.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { ImportServices } from '../../imports/import-kind.ts'
import type { SiteKind } from '../../rows/row-files.ts'
import type { Archive } from '../open-archive.ts'
import { restoreKeptNumbers } from './kept-numbers.ts'
import { beginKeptSessions, finishKeptSessions } from './kept-sessions.ts'
import { contentOf } from './line-blocks.ts'
import { restoreMoney } from './money.ts'
import { restoreRows } from './restore-rows.ts'
import { beginSite, finishSite, type RestoredSite, requireFreeSite, type SiteToRestore } from './sites.ts'
import {
  addUsers,
  beginHiddenTeam,
  beginTeam,
  endHiddenTeam,
  giveUpOtherParts,
  hiddenTeamIdOf,
} from './teams.ts'
import { beginVisitors, finishVisitors } from './visitors.ts'

export interface RestoreOptions {
  /** Team that gets the sites; absent: that of the archive, which is made. */
  teamId?: string | undefined
  onHits?: (domain: string, progress: ImportProgress) => void
  /** Called with the tracking key of each site that is whole. */
  onSite?: (trackingKey: string) => Promise<void>
}

export interface RestoredTeam {
  team_id: string
  sites: {
    site_id: string
    domain: string
    /** Hits that are stored, including those of an earlier run; null for a site that an earlier run has restored wholly. */
    hits: number | null
  }[]
}

/**
 * Restores the team of an archive that was checked. Each site appears when it is whole. May be stopped at any point and run again with the
 * same archive: it goes on.
 * @throws AppError `bad_request` when this database has one of the sites already, `validation_failed` when a hit is refused
 */
export async function restoreTeam(
  services: ImportServices,
  { manifest, files }: Archive,
  options: RestoreOptions,
): Promise<RestoredTeam> {
  const { db } = services
  const teamId = options.teamId ?? manifest.team.id
  const hiddenTeamId = hiddenTeamIdOf(manifest, teamId)
  const siteIds = manifest.sites.map(({ id }) => id)
  await giveUpOtherParts(db, { teamId, hiddenTeamId, siteIds, now: services.now() })
  for (const siteId of siteIds) await requireFreeSite(db, { siteId, teamId, hiddenTeamId })
  await beginTeam(db, manifest.team, teamId)
  await beginHiddenTeam(db, manifest.team, { teamId, hiddenTeamId })
  await addUsers(
    db,
    teamId,
    files.filter(({ siteId }) => siteId === null),
  )
  const sites: RestoredTeam['sites'] = []
  for (const { id: siteId, domain, number: oldSiteNo } of manifest.sites) {
    const filesOf = (kind: SiteKind) => files.filter(file => file.siteId === siteId && file.kind === kind)
    const given = { siteId, teamId, hiddenTeamId, filesOf }
    const site = await beginSite(db, given)
    const whole = { ...given, domain, oldSiteNo, exportedAt: manifest.exported_at }
    const hits = site ? await restoreSite(services, site, whole, options) : null
    sites.push({ site_id: siteId, domain, hits })
  }
  await endHiddenTeam(db, hiddenTeamId)
  return { team_id: teamId, sites }
}

async function restoreSite(
  services: ImportServices,
  site: RestoredSite,
  given: SiteToRestore & { domain: string; oldSiteNo: number; exportedAt: string },
  { onHits, onSite }: RestoreOptions,
): Promise<number> {
  const { domain, oldSiteNo, exportedAt, filesOf } = given
  const { db } = services
  const { siteNo } = site
  await beginVisitors(db, siteNo, filesOf('visitors'))
  await restoreKeptNumbers(db, siteNo, filesOf)
  const imported = await services.refresher.during(async onWritten => {
    const result = await importHits(site, contentOf(filesOf('hits')), {
      ...services,
      keepsErrorIds: true,
      onWritten,
      onProgress: progress => onHits?.(domain, progress),
    })
    const [first] = result.rejected
    if (first) {
      throw new AppError(
        'validation_failed',
        `${result.rejected_total} hits of ${domain} were refused, the first in line ${first.line}: ${first.error}`,
      )
    }
    await restoreRows(db, siteNo, filesOf, 'details')
    await beginKeptSessions(db, siteNo, filesOf('kept-sessions'))
    await restoreMoney(db, { siteNo, oldSiteNo }, filesOf)
    await finishVisitors(db, { siteNo, exportedAt }, filesOf('visitors'))
    await finishKeptSessions(db, siteNo, {
      keptSessions: filesOf('kept-sessions'),
      firstVisits: filesOf('first-visits'),
    })
    return result
  })
  const trackingKey = await finishSite(db, site, given)
  await onSite?.(trackingKey)
  return imported.accepted
}
