import { z } from 'zod'
import { label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { envelope, pageFields } from '../../platform/schema/pagination.ts'
import { dateTime, requiredText } from '../../platform/schema/validation.ts'
import { RANGE_PRESETS, type RangePreset } from '../../platform/time/presets.ts'
import { CalendarDate, checkRange, rangeFields } from '../../platform/time/range.ts'

const timeMessage =
  'must be a date (YYYY-MM-DD) of the years 1970 to 9998, or a time with its offset (ISO 8601)'
const FIRST = '1970-01-01'

const Time = z
  .union([CalendarDate, dateTime.refine(value => new Date(value) >= new Date(FIRST))], { error: timeMessage })
  .meta({ example: '2026-03-29' })

const isDate = (time: string): boolean => time.length === 10
const shownTime = (description: string) => label(description, '2026-03-29')

/** @see docs/api.md "Annotations" */
export const Annotation = z
  .object({
    id: uuid('Annotation id.'),
    text: label('What happened.', 'New pricing'),
    starts_at: shownTime("A day of the site's time zone, or an instant."),
    ends_at: shownTime('Its end, included, in the same form; null for a point in time.').nullable(),
    author: label(
      'E-mail address of who made it; null when they are gone, and for readers of a share.',
      'ada@example.com',
    ).nullable(),
    created_at: timestamp('When it was made.'),
    changed_at: timestamp('When it was changed last.'),
  })
  .meta({ id: 'Annotation' })
export type Annotation = z.infer<typeof Annotation>
export const AnnotationPage = envelope(Annotation)

const fields = {
  text: requiredText(1_000)
    .refine(value => value.trim() !== '', 'is required')
    .meta({ description: 'What happened.', example: 'New pricing' }),
  starts_at: Time.meta({ description: "A day of the site's time zone, or an instant." }),
  ends_at: Time.nullable().meta({
    description: 'Its end, included, in the same form as `starts_at`; null for a point in time.',
    example: null,
  }),
}

export const CreateAnnotation = z
  .object({ ...fields, ends_at: fields.ends_at.optional() })
  .superRefine((times, context) => checkTimes(times, message => refuseEnd(context, message)))
export type CreateAnnotation = z.infer<typeof CreateAnnotation>

/** Fields that are left out stay as they are. */
export const ChangeAnnotation = z.object(fields).partial()
export type ChangeAnnotation = z.infer<typeof ChangeAnnotation>

const refuseEnd = (context: z.RefinementCtx, message: string) =>
  context.addIssue({ code: 'custom', path: ['ends_at'], message })

/** Checks both ends together, in the same form. */
export function checkTimes(
  { starts_at, ends_at }: { starts_at: string; ends_at?: string | null | undefined },
  refuse: (message: string) => void,
): void {
  if (ends_at === null || ends_at === undefined) return
  if (isDate(starts_at) !== isDate(ends_at)) refuse('must be a date if starts_at is one, else a time')
  else if (new Date(ends_at) < new Date(starts_at)) refuse('must not be earlier than starts_at')
}

/** The columns of a time: either a day or an instant. */
export const columnsOf = (time: string | null | undefined): { day: string | null; at: Date | null } =>
  !time ? { day: null, at: null } : isDate(time) ? { day: time, at: null } : { day: null, at: new Date(time) }

export const AnnotationKey = z.object({ annotation: uuid('Annotation id.') })

export const ListAnnotations = z
  .object({
    ...rangeFields,
    range: z
      .custom<RangePreset>()
      .default('all')
      .meta({
        type: 'string',
        enum: [...RANGE_PRESETS],
        description: 'Only what touches these days; `all`, the default, means every annotation.',
      }),
    ...pageFields(100),
  })
  .superRefine(checkRange)
export type ListAnnotations = z.infer<typeof ListAnnotations>
