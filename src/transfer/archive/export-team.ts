import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Queryable } from '../../db/connect.ts'
import { AppError } from '../../errors.ts'
import { exportHits } from '../export/export-hits.ts'
import { exportRows, type RowKind } from '../export/row-statements.ts'
import { spanOf } from '../export/span.ts'
import { ARCHIVE_FORMAT, type ArchivedFile, type Manifest } from './manifest.ts'
import { fileNameOf, MANIFEST, SITE_KINDS, type SiteKind } from './names.ts'
import { archivedRows, isArchivedRowKind } from './row-statements.ts'
import { spoolParts } from './spool.ts'
import { BLOCK_BYTES, TAR_END, tarHeader, tarPadding } from './tar.ts'
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
 * @throws AppError `not_found`, and `bad_request` for a site that an archive cannot hold wholly; also when it becomes one meanwhile
 */
export async function* exportTeam(db: Queryable, given: TeamExport): AsyncGenerator<Buffer> {
  const { teamId, now, productVersion } = given
  const team = await readTeam(db, teamId)
  const sites = await readSites(db, teamId)
  requireDetails(sites)
  const files: ArchivedFile[] = []
  const folder = await mkdtemp(join(given.folder, 'archive-'))
  try {
    for await (const content of contentsOf(db, sites, given))
      yield* filesOf(content, join(folder, 'part'), given, files)
    await requireUnchanged(db, teamId, sites)
  } finally {
    await rm(folder, { recursive: true, force: true })
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

/** Numbers that outlive details are counted with numbers of visitors and values that another database does not know. */
function requireDetails(sites: readonly ArchivedSite[]): void {
  const cut = sites.find(({ detailsFrom }) => detailsFrom)
  if (!cut) return
  throw new AppError(
    'bad_request',
    `${cut.domain} has days whose details are gone (retention): an archive would lose their numbers. Back up the database instead`,
  )
}

/** A site that is deleted, or whose retention begins, while it is read would be in the archive in part. */
async function requireUnchanged(
  db: Queryable,
  teamId: string,
  sites: readonly ArchivedSite[],
): Promise<void> {
  const left = await readSites(db, teamId)
  requireDetails(left)
  const gone = sites.find(({ id }) => !left.some(site => site.id === id))
  if (gone)
    throw new AppError('bad_request', `${gone.domain} was deleted while it was exported; export again`)
}

async function* contentsOf(
  db: Queryable,
  sites: readonly ArchivedSite[],
  { teamId, now }: TeamExport,
): AsyncGenerator<Content> {
  yield { siteId: null, kind: 'users', pieces: linesOf([await readUserLines(db, teamId)]) }
  for (const site of sites) {
    for (const kind of SITE_KINDS) yield { siteId: site.id, kind, pieces: piecesOf(db, site, kind, now) }
  }
}

function piecesOf(db: Queryable, site: ArchivedSite, kind: SiteKind, now: Date): AsyncIterable<Buffer> {
  if (kind === 'hits') return exportHits(db, { ...spanOf(site, {}, now), format: 'jsonl' })
  if (isArchivedRowKind(kind)) return linesOf(archivedRows(db, site.siteNo, kind))
  return linesOf(exportRows(db, { siteNo: site.siteNo, userId: null }, kind satisfies RowKind))
}

async function* linesOf(blocks: AsyncIterable<string[]> | string[][]): AsyncGenerator<Buffer> {
  for await (const lines of blocks) if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`)
}

/** Yields the parts of a kind as files of the archive; none for a kind without rows. */
async function* filesOf(
  { pieces, siteId, kind }: Content,
  path: string,
  { now, partBytes, onFile }: TeamExport,
  files: ArchivedFile[],
): AsyncGenerator<Buffer> {
  let part = 0
  for await (const spooled of spoolParts(path, pieces, partBytes)) {
    part += 1
    const file = { name: fileNameOf({ siteId, kind, part }), ...spooled }
    yield tarHeader(file, now)
    yield* createReadStream(path, { highWaterMark: BLOCK_BYTES * 512 })
    yield tarPadding(file.bytes)
    files.push(file)
    onFile?.(file)
  }
}
