/**
 * What becomes of an import. `checking`, `importing` and `undoing` are tasks that an ingest process works on; the others wait for a
 * person, or are the end.
 */
export const IMPORT_STATES = [
  'uploading',
  'checking',
  'checked',
  'importing',
  'done',
  'failed',
  'canceled',
  'expired',
  'undoing',
  'undone',
] as const
export type ImportState = (typeof IMPORT_STATES)[number]

/** A file that is there as a whole can be checked and imported from these. */
export const STARTABLE: readonly ImportState[] = ['uploading', 'checked', 'failed']
export const CANCELABLE: readonly ImportState[] = ['uploading', 'checking', 'checked', 'importing', 'failed']
/** What was stored can be removed again from these. */
export const UNDOABLE: readonly ImportState[] = ['done', 'failed', 'canceled', 'expired']
export const TASKS = ['checking', 'importing', 'undoing'] as const satisfies ImportState[]
