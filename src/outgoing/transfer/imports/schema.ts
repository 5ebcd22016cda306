import { z } from 'zod'
import { count, flag, label, timestamp, uuid } from '../../../platform/schema/fields.ts'
import { envelope, integerParameter, pageFields } from '../../../platform/schema/pagination.ts'
import { nameText, requiredText } from '../../../platform/schema/validation.ts'
import { canonicalZone } from '../../../platform/time/zones.ts'
import { IMPORT_STATES } from './states.ts'

/** Bytes of each part of a file but the last. Small enough for a slow connection: a request has ten seconds. */
export const PART_BYTES = 1024 * 1024

export const ImportKey = z.object({ id: uuid('Of the import.') })
export type ImportKey = z.infer<typeof ImportKey>

const Zone = z
  .string()
  .transform((name, context) => {
    const zone = canonicalZone(name)
    if (zone !== undefined) return zone
    context.addIssue({ code: 'custom', message: 'must be an IANA time zone, such as Europe/Berlin' })
    return z.NEVER
  })
  .meta({ type: 'string' })

export const CreateImport = z.object({
  format: requiredText(50).meta({
    description: 'Name of a format: see `GET /import-formats`.',
    example: 'umami',
  }),
  file_name: nameText(255)
    .refine(name => name !== '', 'must not be empty')
    .meta({ description: 'Name of the file, to recognise it by.', example: 'export.zip' }),
  bytes: z
    .number('must be a whole number from 1')
    .int('must be a whole number from 1')
    .min(1, 'must be a whole number from 1')
    .meta({ description: 'Size of the file.', example: 7340032 }),
  website: nameText(255)
    .nullish()
    .transform(name => name || null)
    .meta({ description: 'The website, in files that hold several.', example: null }),
  timezone: Zone.default('UTC').meta({
    description: 'Zone of times that name none.',
    example: 'Europe/Berlin',
  }),
})
export type CreateImport = z.output<typeof CreateImport>

export const UploadPart = ImportKey.extend({
  number: integerParameter(0, 1_000_000).meta({ description: 'Which part, from 0.', example: 0 }),
  content: z
    .unknown()
    .refine(read => typeof read === 'function', 'must be sent as the body of the REST request')
    .transform(read => read as () => Promise<Buffer>)
    .meta({ description: 'The bytes of the part.' }),
})
export type UploadPart = z.output<typeof UploadPart>

export const StartImport = ImportKey.extend({
  dry_run: z
    .boolean('must be true or false')
    .default(false)
    .meta({ description: 'Only say what the import would bring.', example: true }),
})
export type StartImport = z.output<typeof StartImport>

export const ListImports = z.object(pageFields(25))
export type ListImports = z.infer<typeof ListImports>

export const ImportFormat = z
  .object({
    format: label('Its name, as `POST /imports` takes it.', 'umami'),
    kind: label('What the import brings: hits one by one, or totals.', 'hits'),
    title: label('What a person calls it.', 'Umami'),
    file: label('What the file must be.', 'The ZIP that Umami Cloud sends.'),
    notes: z.array(z.string()).meta({ description: 'What cannot be carried over, and what is not exact.' }),
    can_undo: flag('What such files brought can be removed again.', true),
    why_no_undo: label('Why not; null when it can.', 'Lines may name visitors of live hits.').nullable(),
  })
  .meta({ id: 'ImportFormat' })
export type ImportFormat = z.infer<typeof ImportFormat>

const Outcome = z
  .object({
    dry_run: flag('Nothing was stored.'),
    period: z
      .object({ from: timestamp('Of the first hit.'), to: timestamp('Of the last hit.') })
      .nullable()
      .optional()
      .meta({ description: 'Null without hits; not there for hits of this service.' }),
    hits: z.record(z.string(), z.int()).optional().meta({ description: 'Hits in the file, by endpoint.' }),
    hits_total: count('All of them.', 41_213).optional(),
    rows: count('Rows of the file; those that are left are among them.', 41_225).optional(),
    visitors: count('Visitors in the file.', 5_310).optional(),
    left: z
      .array(
        z.object({
          reason: label('Why.', 'crawler'),
          rows: count('How many.', 3),
          lines: z
            .array(z.int())
            .optional()
            .meta({ description: 'The first lines of the file on which they begin, from 1.' }),
        }),
      )
      .optional()
      .meta({
        description:
          'What cannot be carried over. A reason `part of a row: …` is of rows that are carried over.',
      }),
    left_total: count('Rows that are not carried over.', 12).optional(),
    accepted: count('Hits that are recorded, those of an earlier import included.', 41_200).optional(),
    repeated: count('Of these, recorded before; in a dry run only.', 0).optional(),
    dropped: count('Hits that are dropped as live ones would be.', 13).optional(),
    rejected: z
      .array(z.object({ reason: label('Why.', 'timestamp lies in the future'), hits: count('How many.', 3) }))
      .optional()
      .meta({ description: 'Hits that are not valid; of the first 1,000.' }),
    rejected_total: count('All of them.', 0).optional(),
    counts: z
      .record(z.string(), z.int())
      .optional()
      .meta({ description: 'What other kinds than `hits` have counted, by its name.' }),
  })
  .meta({ id: 'ImportOutcome' })

export const Import = z
  .object({
    id: uuid('Of the import.'),
    format: label('Name of the format.', 'umami'),
    kind: label('What it brings.', 'hits'),
    file_name: label('As it was given.', 'export.zip'),
    bytes: count('Size of the file.', 7_340_032),
    website: label('The website in the file; null for the only one.', 'example.com').nullable(),
    timezone: label('Zone of times that name none.', 'UTC'),
    state: z.enum(IMPORT_STATES).meta({ description: 'What becomes of it.' }),
    part_bytes: count('Size of each part but the last.', PART_BYTES),
    parts: count('How many parts the file has.', 7),
    missing_parts: z.array(z.int()).meta({
      description:
        'Parts that are still to be sent, at most 1,000; empty when the file is not needed any more.',
    }),
    progress: z
      .object({
        part: z.number().meta({ description: 'Of the running task, 0 to 1.', example: 0.4 }),
        note: label('What was done so far.', '16000 hits'),
      })
      .nullable()
      .meta({ description: 'Null when nothing runs.' }),
    checked: Outcome.nullable().meta({ description: 'What the dry run found; null without one.' }),
    result: Outcome.nullable().meta({ description: 'What the import brought; null before it is done.' }),
    error: label('Why it failed; null otherwise.', 'the ZIP file is cut off').nullable(),
    can_undo: flag('What it brought can be removed now.'),
    created_by: label('E-mail address of the user; null for the command line.', 'ada@example.com').nullable(),
    created_at: timestamp('When it was created.'),
    finished_at: timestamp('When its latest task ended; null before.').nullable(),
  })
  .meta({ id: 'Import' })
export type Import = z.infer<typeof Import>

/** Outcomes may be long: they are read one by one. */
export const ImportItem = Import.omit({ checked: true, result: true })
  .extend({ has_outcome: flag('Reading the import gives `checked` or `result`.', true) })
  .meta({ id: 'ImportItem' })
export type ImportItem = z.infer<typeof ImportItem>
export const ImportPage = envelope(ImportItem)
