import { query } from '../../../platform/db/query.ts'
import { CONVERTERS } from '../converters/registry.ts'
import { importHitFile, OWN_FORMAT } from './import-hit-file.ts'
import type { FormatDescription, ImportKind } from './import-kind.ts'
import { detailsGone } from './undo/require-details.ts'
import { undoHits } from './undo/undo-hits.ts'

const findFirst = query<{ siteNo: number; format: string }, { first: Date | null }>(
  'find-first-imported',
  'select min(first_seen_at) as first from visitors where site_no = :siteNo and imported_as = :format',
)

const OWN: FormatDescription = {
  title: 'Hits of this service',
  file: 'One JSON object a line, in time order, as docs/import.md describes and as the export gives; also packed with gzip or in a ZIP.',
  notes: ['Lines are taken as they are: their visitors can be those of live hits.'],
  whyNoUndo:
    'Lines of this format may name visitors of live hits, so what they brought cannot be told apart from what was measured',
}

const converted = Object.entries(CONVERTERS).map(
  ([name, { title, file, notes }]): [string, FormatDescription] => [name, { title, file, notes }],
)

/** Hits one by one. */
export const hitsKind: ImportKind = {
  formats: { ...Object.fromEntries(converted), [OWN_FORMAT]: OWN },
  run: importHitFile,
  undo: undoHits,
  async whyNoUndoNow(db, { siteNo, detailsFrom }, format) {
    if (!detailsFrom) return undefined
    const [row] = await findFirst(db, { siteNo, format })
    if (!row?.first || row.first >= detailsFrom) return undefined
    return detailsGone(detailsFrom)
  },
}
