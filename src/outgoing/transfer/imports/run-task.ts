import { findSiteByNo } from '../../../access/sites/find-site.ts'
import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import type { UnpackLimits } from '../read/limits.ts'
import type { ClaimedImport } from './claims.ts'
import type { ImportServices, TaskProgress } from './import-kind.ts'
import { deleteParts } from './import-rows.ts'
import { IMPORT_KINDS } from './registry.ts'
import type { Turn } from './turn.ts'
import { uploadedFile } from './uploaded-file.ts'

export interface TaskServices extends ImportServices {
  /** Bounds for what an uploaded file unpacks to. */
  limits: UnpackLimits
}

const noteWriting = query<{ id: string }>(
  'note-import-writing',
  'update imports set has_written = true where id = :id',
)

/** Ends a task, if it was not canceled meanwhile. */
const finishTask = query<
  {
    id: string
    task: string
    state: string
    checked: string | null
    result: string | null
    error: string | null
    now: Date
  },
  { id: string }
>(
  'finish-import-task',
  `update imports
  set
    state = :state, checked = coalesce((:checked::text)::jsonb, checked), result = coalesce((:result::text)::jsonb, result),
    error = :error, finished_at = :now, progress = null, claimed_by = null, claimed_until = null
  where id = :id and state = :task
  returning id`,
)

/** All imports of a format are one history of the site. */
const finishUndo = query<{ siteNo: number; kind: string; format: string; now: Date }>(
  'finish-import-undo',
  `update imports
  set
    state = 'undone', has_written = false, error = null, progress = null, claimed_by = null, claimed_until = null,
    finished_at = case when state = 'undoing' then :now::timestamptz else finished_at end
  where site_no = :siteNo::int and kind = :kind::text and format = :format::text and has_written
    and state in ('undoing', 'done', 'failed', 'canceled', 'expired')`,
)

/**
 * Does a claimed task to its end. A file that is not of its format makes the import fail; other errors are thrown, and the task stays
 * for another try.
 */
export async function runTask(
  services: TaskServices,
  task: ClaimedImport,
  turn: Turn,
  onProgress: (progress: TaskProgress) => void,
): Promise<void> {
  const run = { checking: check, importing: importFile, undoing: undo }[task.state]
  try {
    await run(services, task, turn, onProgress)
  } catch (error) {
    if (turn.signal.aborted || !(error instanceof AppError) || error.code !== 'validation_failed') throw error
    await finish(services, task, { state: 'failed', error: error.message })
  }
}

type Run = typeof runTask

const check: Run = async (services, task, turn, onProgress) => {
  const checked = await runFile(services, task, true, turn, onProgress)
  await finish(services, task, { state: 'checked', checked })
}

const importFile: Run = async (services, task, turn, onProgress) => {
  await noteWriting(services.db, { id: task.id })
  const result = await runFile(services, task, false, turn, onProgress)
  await services.db.begin(async tx => {
    if (await finish({ ...services, db: tx }, task, { state: 'done', result })) await deleteParts(tx, task)
  })
}

const undo: Run = async (services, { siteNo, kind, format }, turn, onProgress) => {
  await IMPORT_KINDS[kind]!.undo(services, { siteNo, format, turn, onProgress })
  await finishUndo(services.db, { siteNo, kind, format, now: services.now() })
}

async function runFile(
  services: TaskServices,
  task: ClaimedImport,
  isDryRun: boolean,
  turn: Turn,
  onProgress: (progress: TaskProgress) => void,
): Promise<object> {
  const { siteNo, kind, format, website, timezone } = task
  const site = await findSiteByNo(services.db, siteNo)
  if (!site) throw new AppError('not_found', 'the site was deleted')
  return IMPORT_KINDS[kind]!.run(services, {
    site: { ...site, siteId: site.id },
    format,
    file: uploadedFile(services.db, task, { limits: services.limits, pass: turn.pass }),
    website: website ?? undefined,
    timezone,
    isDryRun,
    turn,
    onProgress,
  })
}

async function finish(
  { db, now }: { db: Db | Transaction; now: () => Date },
  { id, state: task }: ClaimedImport,
  { state, checked, result, error }: { state: string; checked?: object; result?: object; error?: string },
): Promise<boolean> {
  const rows = await finishTask(db, {
    id,
    task,
    state,
    checked: checked ? JSON.stringify(checked) : null,
    result: result ? JSON.stringify(result) : null,
    error: error ?? null,
    now: now(),
  })
  return rows.length > 0
}
