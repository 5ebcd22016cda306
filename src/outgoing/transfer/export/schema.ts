import { z } from 'zod'
import { CsvDelimiterField } from '../../../platform/schema/csv-delimiter.ts'
import { CalendarDate } from '../../../platform/time/range.ts'
import type { RowKind } from '../rows/read-rows.ts'
import { HIT_FORMATS } from './export-hits.ts'

/** What a site exports beside its hits. */
export const ROW_KINDS = [
  ...['settings', 'goals', 'funnels', 'segments', 'annotations', 'payments', 'movements', 'service-events'],
  ...['subscriptions', 'identities'],
] as const satisfies RowKind[]

/** Fields of the query of an export of hits. */
export const HitExportQuery = z
  .object({
    from: CalendarDate.optional().meta({
      description: 'First day in the time zone of the site; needs `to`. Without both: everything.',
      example: '2026-03-01',
    }),
    to: CalendarDate.optional().meta({
      description: 'Last day, included; needs `from`.',
      example: '2026-03-31',
    }),
    format: z
      .enum(HIT_FORMATS, `must be one of ${HIT_FORMATS.join(', ')}`)
      .default('jsonl')
      .meta({ description: '`jsonl` is what an import takes.' }),
    csv_delimiter: CsvDelimiterField,
  })
  .superRefine(({ from, to }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (from !== undefined && to === undefined) refuse('to', 'is required when from is given')
    else if (to !== undefined && from === undefined) refuse('from', 'is required when to is given')
    else if (from !== undefined && to !== undefined && from > to) refuse('from', 'must not be later than to')
  })
export type HitExportQuery = z.infer<typeof HitExportQuery>

/** Field of the path of an export of other data. */
export const RowExportPath = z.object({ kind: z.enum(ROW_KINDS, `must be one of ${ROW_KINDS.join(', ')}`) })
export type RowExportPath = z.infer<typeof RowExportPath>
