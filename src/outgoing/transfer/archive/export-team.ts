import type { FileHandle } from 'node:fs/promises'
import { workLeft } from '../../../money/import/derive-work.ts'
import type { Queryable } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { exportHits } from '../export/export-hits.ts'
import { spanOf } from '../export/span.ts'
import { readRows } from '../rows/read-rows.ts'
import { ROW_FILES, type SiteKind } from '../rows/row-files.ts'
import { ARCHIVE_FORMAT, type ArchivedFile, type Manifest } from './manifest.ts'
import { fileNameOf, MANIFEST, SITE_KINDS } from './names.ts'
import { piecesOfLines } from './pieces.ts'
import { openSpool, readPart, spoolParts } from './spool.ts'
import { TAR_END, tarHeader, tarPadding } from './tar.ts'
import { type ArchivedSite, readSites, readTeam, readUserLines } from './team-rows.ts'

export interface TeamExport {
  teamId: string
  productVersion: string
  now: Date
  /** Where files lie until they are in the archive, one at a time. */
  folder: string
  partBytes?: number
  /** Called after each file. */
  onFile?: (file: ArchivedFile) => void
}

interface Content {
  siteId: string | null
  kind: Parameters<typeof fileNameOf>[0]['kind']
  pieces: AsyncIterable<Buffer>
}

/**
 * Yields an archive of a team: a tar file with JSON lines of the team and each of its sites, and at the end a manifest. It is made as it is read,
 * and between two pieces nothing is held in the database.
 * @throws AppError `not_found`, and `bad_request` while an import of payments runs, at a line that is too long, and when a site, or details of it, were deleted meanwhile
 */
export async function* exportTeam(db: Queryable, given: TeamExport): AsyncGenerator<Buffer> {
  const { teamId, now, productVersion } = given
  const team = await readTeam(db, teamId)
  const sites = await readSites(db, teamId)
  await requireDerived(db, sites)
  const files: ArchivedFile[] = []
  const spool = await openSpool(given.folder)
  try {
    for await (const content of contentsOf(db, sites, given)) yield* filesOf(content, spool, given, files)
    await requireUnchanged(db, teamId, sites)
    await requireDerived(db, sites)
  } finally {
    await spool.close()
  }
  const manifest: Manifest = {
    format: ARCHIVE_FORMAT,
    product_version: productVersion,
    exported_at: now.toISOString(),
    team,
    sites: sites.map(({ id, domain, siteNo }) => ({ id, domain, number: siteNo })),
    files,
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
  yield tarHeader({ name: MANIFEST, bytes: text.length }, now)
  yield text
  yield tarPadding(text.length)
  yield TAR_END
}

/** The list of what is to be derived is not in the archive: money that was read and is not derived yet would never be. */
async function requireDerived(db: Queryable, sites: readonly ArchivedSite[]): Promise<void> {
  for (const { siteNo, domain } of sites) {
    if ((await workLeft(db, siteNo)) === 0) continue
    throw refusal(
      `An import of payments of ${domain} is not finished; export again when it is, or after running it again`,
    )
  }
}

/** What a deletion takes away while a site is read would be missing in a part of its files. */
async function requireUnchanged(
  db: Queryable,
  teamId: string,
  sites: readonly ArchivedSite[],
): Promise<void> {
  const left = new Map((await readSites(db, teamId)).map(site => [site.id, site]))
  for (const { id, domain, detailsFrom, historyFrom } of sites) {
    const now = left.get(id)
    if (!now) throw refusal(`${domain} was deleted while it was exported; export again`)
    if (
      now.detailsFrom?.getTime() === detailsFrom?.getTime() &&
      now.historyFrom?.getTime() === historyFrom?.getTime()
    )
      continue
    throw refusal(
      `Details or history of ${domain} were deleted (retention) while it was exported; export again`,
    )
  }
}

const refusal = (message: string) => new AppError('bad_request', message)

async function* contentsOf(
  db: Queryable,
  sites: readonly ArchivedSite[],
  { teamId, now }: TeamExport,
): AsyncGenerator<Content> {
  yield { siteId: null, kind: 'users', pieces: piecesOfLines('users', [await readUserLines(db, teamId)]) }
  for (const site of sites) {
    for (const kind of SITE_KINDS) {
      if (ROW_FILES[kind].isKept && !site.detailsFrom) continue
      yield { siteId: site.id, kind, pieces: piecesOf(db, site, kind, now) }
    }
  }
}

function piecesOf(db: Queryable, site: ArchivedSite, kind: SiteKind, now: Date): AsyncIterable<Buffer> {
  if (kind === 'hits') return exportHits(db, { ...spanOf(site, {}, now), format: 'jsonl' })
  return piecesOfLines(kind, readRows(db, { siteNo: site.siteNo, userId: null }, kind))
}

/** Yields the parts of a kind as files of the archive; none for a kind without rows. */
async function* filesOf(
  { pieces, siteId, kind }: Content,
  spool: FileHandle,
  { now, partBytes, onFile }: TeamExport,
  files: ArchivedFile[],
): AsyncGenerator<Buffer> {
  let part = 0
  for await (const spooled of spoolParts(spool, pieces, partBytes)) {
    part += 1
    const file = { name: fileNameOf({ siteId, kind, part }), ...spooled }
    yield tarHeader(file, now)
    yield* readPart(spool, file)
    yield tarPadding(file.bytes)
    files.push(file)
    onFile?.(file)
  }
}
