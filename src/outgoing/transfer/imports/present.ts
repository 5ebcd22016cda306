import type { ImportItemRow, ImportRow } from './import-rows.ts'
import { findFormat, IMPORT_FORMATS, IMPORT_KINDS } from './registry.ts'
import { type Import, type ImportFormat, type ImportItem, PART_BYTES } from './schema.ts'
import { type ImportState, UNDOABLE } from './states.ts'
import { partsOf } from './uploaded-file.ts'

/** States in which the file is still needed. */
const WITH_FILE: readonly ImportState[] = ['uploading', 'checking', 'checked', 'importing', 'failed']
const MOST_MISSING = 1_000

export const presentImport = (row: ImportRow): Import => ({
  ...commonOf(row),
  checked: outcomeOf(row, row.checked),
  result: outcomeOf(row, row.result),
})

export const presentImportItem = (row: ImportItemRow): ImportItem => ({
  ...commonOf(row),
  has_outcome: row.hasOutcome,
})

const commonOf = (row: ImportItemRow): Omit<Import, 'checked' | 'result'> => ({
  id: row.id,
  format: row.format,
  kind: row.kind,
  file_name: row.fileName,
  bytes: row.bytes,
  website: row.website,
  timezone: row.timezone,
  state: row.state,
  part_bytes: PART_BYTES,
  parts: partsOf(row.bytes),
  missing_parts: missingOf(row),
  progress: row.progress,
  error: row.error,
  can_undo: row.hasWritten && UNDOABLE.includes(row.state) && findFormat(row.format).whyNoUndo === undefined,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
})

function outcomeOf({ kind }: ImportRow, result: object | null): Import['result'] {
  if (!result) return null
  return (IMPORT_KINDS[kind]?.present?.(result) ?? result) as Import['result']
}

function missingOf({ state, bytes, parts }: ImportItemRow): number[] {
  if (!WITH_FILE.includes(state)) return []
  const stored = new Set(parts)
  const missing: number[] = []
  for (let number = 0; number < partsOf(bytes) && missing.length < MOST_MISSING; number++) {
    if (!stored.has(number)) missing.push(number)
  }
  return missing
}

/** All formats, those of other products first. */
export const listFormats = (): ImportFormat[] =>
  IMPORT_FORMATS.map(({ format, kind, title, file, notes, whyNoUndo }) => ({
    format,
    kind,
    title,
    file,
    notes,
    can_undo: whyNoUndo === undefined,
    why_no_undo: whyNoUndo ?? null,
  }))
