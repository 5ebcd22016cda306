import type { ImportRow } from './import-rows.ts'
import { findFormat, IMPORT_FORMATS } from './registry.ts'
import { type Import, type ImportFormat, PART_BYTES } from './schema.ts'
import { type ImportState, UNDOABLE } from './states.ts'
import { partsOf } from './uploaded-file.ts'

/** States in which the file is still needed. */
const WITH_FILE: readonly ImportState[] = ['uploading', 'checking', 'checked', 'importing', 'failed']
const MOST_MISSING = 1_000

export function presentImport(row: ImportRow): Import {
  return {
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
    checked: row.checked as Import['checked'],
    result: row.result as Import['result'],
    error: row.error,
    can_undo:
      row.hasWritten && UNDOABLE.includes(row.state) && findFormat(row.format).whyNoUndo === undefined,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  }
}

function missingOf({ state, bytes, parts }: ImportRow): number[] {
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
