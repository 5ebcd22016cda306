import type { Geo } from '../../../ingestion/edge/geo.ts'
import type { ImportSite } from '../../../ingestion/import/line-reader.ts'
import type { Db, Queryable } from '../../../platform/db/connect.ts'
import type { Log } from '../../../platform/runtime/log.ts'
import type { Refresher } from '../../../storage/rollups/keep-refreshed.ts'
import type { SourceFile } from '../source-file.ts'
import type { Turn } from './turn.ts'

/** What imports work with, on the command line and in the ingest process. */
export interface ImportServices {
  db: Db
  refresher: Refresher
  log: Log
  geo: Geo
  now: () => Date
  /** Maximum hits of a transaction: small, so that live traffic does not wait. */
  batchHits: number
  /** Folder for temporary files. */
  folder: string
  /** @throws when the disk is nearly full */
  requireFreeDisk: () => Promise<void>
}

export interface ImportTask {
  site: ImportSite & { domain: string; timezone: string }
  format: string
  file: SourceFile
  /** The website in files that hold several. */
  website: string | undefined
  /** Zone of times that name none. */
  timezone: string
  isDryRun: boolean
  turn: Turn
  onProgress?: ((progress: TaskProgress) => void) | undefined
}

export interface UndoTask {
  siteNo: number
  format: string
  turn: Turn
  onProgress?: ((progress: TaskProgress) => void) | undefined
}

export interface TaskProgress {
  /** 0 to 1, of the whole task. */
  part: number
  /** What was counted so far, in a few words. */
  note: string
}

export interface FormatDescription {
  /** What a person calls the format. */
  title: string
  /** What the file must be. */
  file: string
  /** What cannot be carried over, and what is not exact. */
  notes: string[]
  /** Why what such a file brought cannot be removed again; undefined where it can. */
  whyNoUndo?: string
}

/** A way of importing, such as hits one by one, or totals of days. */
export interface ImportKind {
  /** By their names. */
  formats: Record<string, FormatDescription>
  /**
   * Imports a file, or says what an import would bring. Safe to kill and run again with the same file: nothing counts twice.
   * @returns what the import brought, as JSON
   * @throws AppError `validation_failed` when the file is not of the format
   */
  run(services: ImportServices, task: ImportTask): Promise<object>
  /** Returns a result in the form that the API shows; without it, results have that form. */
  present?(result: object): object
  /**
   * Removes everything that files of the format brought to a site, in small transactions that each leave everything consistent. Safe to
   * kill and run again.
   */
  undo(services: ImportServices, task: UndoTask): Promise<void>
  /** Returns why what such files brought to a site cannot be removed now; undefined where it can. */
  whyNoUndoNow?(
    db: Queryable,
    site: { siteNo: number; detailsFrom: Date | null },
    format: string,
  ): Promise<string | undefined>
}
