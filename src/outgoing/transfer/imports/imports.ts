import { randomUUID } from 'node:crypto'
import type { Audit } from '../../../access/audit/audit.ts'
import { isUuid } from '../../../access/sites/domain.ts'
import { lockSite } from '../../../access/sites/lock-site.ts'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Caller } from '../../../access/teams/caller.ts'
import { lockTeam } from '../../../access/teams/lock-team.ts'
import type { Transaction } from '../../../platform/db/connect.ts'
import { AppError, invalidField } from '../../../platform/errors.ts'
import { requireFreeBytes } from '../../../platform/runtime/disk.ts'
import { type PageUrl, paginate, windowOf } from '../../../platform/schema/pagination.ts'
import type { Services } from '../../../platform/services.ts'
import { uploadLimits } from '../read/limits.ts'
import { checkPacked } from '../read/packed-files.ts'
import {
  countImports,
  deleteParts,
  endImport,
  findImportRow,
  type ImportRow,
  insertImport,
  insertPart,
  lockImport,
  requestTask,
  selectImports,
  sumOpenBytes,
} from './import-rows.ts'
import { presentImport, presentImportItem } from './present.ts'
import { findFormat, IMPORT_KINDS } from './registry.ts'
import type { CreateImport, Import, ImportKey, ListImports, StartImport, UploadPart } from './schema.ts'
import { CANCELABLE, type ImportState, STARTABLE, UNDOABLE } from './states.ts'
import { lengthOfPart, partsOf, uploadedFile } from './uploaded-file.ts'

type Parts = Pick<Services, 'db' | 'now'> & { audit: Audit }
type Site = Pick<SiteRecord, 'siteNo' | 'id' | 'domain' | 'detailsFrom'>

/**
 * Makes an import whose file is then sent in parts.
 * @throws AppError `validation_failed` for an unknown format, and for a file over the limit; `unavailable` when the disk has no room for it
 */
export async function createImport(
  { db, now, audit, config, disk, caller }: Parts & Pick<Services, 'config' | 'disk'> & { caller: Caller },
  site: Site,
  { format, file_name: fileName, bytes, website, timezone }: CreateImport,
): Promise<Import> {
  const { kind } = findFormat(format)
  const { importMaxBytes: max, importMinFreeBytes } = config
  const allowed = `${max / 1024 / 1024} MiB (IMPORT_MAX_MB)`
  if (bytes > max) throw invalidField('bytes', `The file is larger than ${allowed}; use the command line`)
  if (importMinFreeBytes > 0) await requireFreeBytes(disk, importMinFreeBytes + bytes)
  return db.begin(async tx => {
    await lockTeam(tx, caller.teamId)
    await lockSite(tx, site)
    const [open] = await sumOpenBytes(tx, caller)
    if (open!.bytes + bytes > max) {
      throw invalidField(
        'bytes',
        `Files of the team that wait for their import have more than ${allowed}; finish or cancel those first`,
      )
    }
    const [row] = await insertImport(tx, {
      id: randomUUID(),
      siteNo: site.siteNo,
      kind,
      format,
      website,
      timezone,
      fileName,
      bytes,
      state: 'uploading',
      createdBy: caller.userId,
      now: now(),
    })
    await audit(tx, entryOf('import.create', site, row!))
    return presentImport(row!)
  })
}

/**
 * Stores a part of the file. A part that was sent before is replaced.
 * @throws AppError `validation_failed` for a wrong number or length, and when the import takes no parts any more
 */
export async function uploadPart(
  { db, disk, config }: Pick<Services, 'db' | 'disk' | 'config'>,
  site: Site,
  { id, number, content }: UploadPart,
): Promise<void> {
  const before = await requireImport(db, site, id)
  requireUploading(before)
  if (number >= partsOf(before.bytes)) {
    throw invalidField('number', `The file has the parts 0 to ${partsOf(before.bytes) - 1}`)
  }
  await requireFreeBytes(disk, config.importMinFreeBytes)
  const expected = lengthOfPart(before.bytes, number)
  const bytes = await content()
  if (bytes.length !== expected) {
    throw invalidField('content', `Part ${number} must have ${expected} bytes, not ${bytes.length}`)
  }
  await db.begin(async tx => {
    const row = await lockedImport(tx, site, id)
    requireUploading(row)
    await insertPart(tx, { id: row.id, siteNo: site.siteNo, number, content: bytes })
  })
}

/**
 * Makes an import, or its dry run, a task of the ingest processes.
 * @throws AppError `bad_request` while parts are missing, and when the import has run; `validation_failed` for a file that says that it
 * unpacks to more than the limit, and for a damaged ZIP
 */
export const startImport = (
  parts: Parts & Pick<Services, 'config'>,
  site: Site,
  { id, dry_run: isDryRun }: StartImport,
): Promise<Import> =>
  change(parts, site, id, async (tx, row) => {
    requireState(row, STARTABLE, 'cannot be started')
    const missing = partsOf(row.bytes) - row.parts.length
    if (missing > 0) throw new AppError('bad_request', `${missing} parts of the file are missing`)
    await checkPacked(uploadedFile(tx, row, { limits: uploadLimits(parts.config) }))
    if (!isDryRun) await parts.audit(tx, entryOf('import.start', site, row))
    return requestTask(tx, { id: row.id, state: isDryRun ? 'checking' : 'importing', now: parts.now() })
  })

/** Ends an import. What it has stored stays, and can be undone. */
export const cancelImport = (parts: Parts, site: Site, { id }: ImportKey): Promise<Import> =>
  change(parts, site, id, async (tx, row) => {
    requireState(row, CANCELABLE, 'cannot be canceled')
    await parts.audit(tx, entryOf('import.cancel', site, row))
    await deleteParts(tx, { id: row.id })
    return endImport(tx, { id: row.id, state: 'canceled', now: parts.now() })
  })

/**
 * Starts to remove everything that imports of the format have brought to the site.
 * @throws AppError `bad_request` where that is not possible
 */
export const undoImport = (parts: Parts, site: Site, { id }: ImportKey): Promise<Import> =>
  change(parts, site, id, async (tx, row) => {
    const { whyNoUndo } = findFormat(row.format)
    if (whyNoUndo) throw new AppError('bad_request', whyNoUndo)
    requireState(row, UNDOABLE, 'cannot be undone')
    const whyNotNow = await IMPORT_KINDS[row.kind]!.whyNoUndoNow?.(tx, site, row.format)
    if (whyNotNow) throw new AppError('bad_request', whyNotNow)
    if (!row.hasWritten) throw new AppError('bad_request', 'The import has stored nothing')
    await parts.audit(tx, entryOf('import.undo', site, row))
    return requestTask(tx, { id: row.id, state: 'undoing', now: parts.now() })
  })

/** Returns a page of the imports of a site, the newest first. */
export async function listImports(
  context: Pick<Services, 'db'> & { pageUrl: PageUrl },
  { siteNo }: Site,
  input: ListImports,
) {
  const [rows, [total]] = await Promise.all([
    selectImports(context.db, { siteNo, ...windowOf(input) }),
    countImports(context.db, { siteNo }),
  ])
  return paginate(context, input, { rows: rows.map(presentImportItem), total: total!.count })
}

/** @throws AppError `not_found` */
export const getImport = async (
  { db }: Pick<Services, 'db'>,
  site: Site,
  { id }: ImportKey,
): Promise<Import> => presentImport(await requireImport(db, site, id))

async function change(
  { db }: Pick<Services, 'db'>,
  site: Site,
  id: string,
  run: (tx: Transaction, row: ImportRow) => Promise<ImportRow[]>,
): Promise<Import> {
  return db.begin(async tx => {
    const [row] = await run(tx, await lockedImport(tx, site, id))
    return presentImport(row!)
  })
}

async function requireImport(db: Services['db'], { siteNo }: Site, id: string): Promise<ImportRow> {
  const [row] = isUuid(id) ? await findImportRow(db, { siteNo, id }) : []
  return required(row)
}

async function lockedImport(tx: Transaction, { siteNo }: Site, id: string): Promise<ImportRow> {
  const [row] = isUuid(id) ? await lockImport(tx, { siteNo, id }) : []
  return required(row)
}

function required(row: ImportRow | undefined): ImportRow {
  if (!row) throw new AppError('not_found', 'No such import')
  return row
}

function requireUploading({ state }: ImportRow): void {
  if (state !== 'uploading') throw invalidField('id', `The import is ${state} and takes no parts any more`)
}

function requireState(row: ImportRow, states: readonly ImportState[], what: string): void {
  if (!states.includes(row.state)) throw new AppError('bad_request', `The import is ${row.state} and ${what}`)
}

const entryOf = (
  action: 'import.create' | 'import.start' | 'import.cancel' | 'import.undo',
  site: Site,
  { id, format, fileName, bytes }: ImportRow,
) => ({
  action,
  object: { type: 'import', id },
  details: { site_id: site.id, domain: site.domain, format, file_name: fileName, bytes },
})
