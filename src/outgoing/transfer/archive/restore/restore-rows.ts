import type { Queryable } from '../../../../platform/db/connect.ts'
import { queries } from '../../../../platform/db/query.ts'
import { ROW_FILES, type SiteKind, type Stage } from '../../rows/row-files.ts'
import { restoreText } from '../../rows/row-text.ts'
import type { OpenedFile } from '../open-archive.ts'
import { lineBlocks } from './line-blocks.ts'

/** Lines of a site, as statements take them. */
export interface Rows {
  siteNo: number
  /** A JSON array of lines. */
  rows: string
}

/** The files of a site, in order. */
export type FilesOf = (kind: SiteKind) => OpenedFile[]

const kinds = Object.keys(ROW_FILES) as SiteKind[]

/** @public the test of all statements reads them */
export const RESTORE_TEXTS: Readonly<Record<string, string>> = Object.fromEntries(
  kinds.flatMap(kind => {
    const { stage, table, key, restore } = ROW_FILES[kind]
    if (!stage || !key) return []
    return [[kind, typeof restore === 'string' ? restore : restoreText({ table, key, ...restore })]]
  }),
)
const STATEMENTS = queries<string, Rows>('restore', RESTORE_TEXTS)

/** Returns the kinds of a stage, in the order in which they need each other. */
export const kindsOf = (stage: Stage): SiteKind[] => kinds.filter(kind => ROW_FILES[kind].stage === stage)

/** Stores lines of a kind that has a key. */
export const restoreBlock = (db: Queryable, kind: SiteKind, given: Rows) => STATEMENTS[kind]!(db, given)

/** Restores the rows of a stage, a block of lines at a time. Ids stay. */
export async function restoreRows(
  db: Queryable,
  siteNo: number,
  filesOf: FilesOf,
  stage: Stage,
): Promise<void> {
  for (const kind of kindsOf(stage)) {
    for await (const rows of lineBlocks(filesOf(kind))) await restoreBlock(db, kind, { siteNo, rows })
  }
}
