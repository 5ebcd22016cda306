import { z } from 'zod'
import { AppError, type FieldErrors } from '../errors.ts'

/** Removes NUL, which cannot be stored, and replaces lone surrogates, which are not text; neither is an error. */
export function mend(value: string): string {
  const stored = value.includes('\0') ? value.replaceAll('\0', '') : value
  return stored.isWellFormed() ? stored : stored.toWellFormed()
}

/** Number of Unicode code points, the unit of all text limits. */
function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count += 1
  return count
}

export const isWithin = (value: string, max: number) => value.length <= max || codePoints(value) <= max

/** Returns the first `max` code points of a text; never splits a surrogate pair. */
export function cut(value: string, max: number): string {
  if (value.length <= max) return value
  let end = 0
  for (let count = 0; count < max && end < value.length; count++) {
    end += (value.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return value.slice(0, end)
}

/**
 * Schema of a string of at most `max` code points; removes NUL characters and replaces lone surrogates.
 * @param message what is said of a value that is no string
 */
export const text = (max: number, message?: string) =>
  z
    .string(message && { error: ({ input }) => (input === undefined ? undefined : message) })
    .overwrite(mend)
    .refine(value => isWithin(value, max), `must be at most ${max} characters`)
    .meta({ maxLength: max })

/** Like `text`, but not empty. */
export const requiredText = (max: number, message?: string) =>
  text(max, message)
    .refine(value => value !== '', 'must not be empty')
    .meta({ minLength: 1 })

/** Schema of a time with its offset, as text. */
export const dateTime = z.iso
  .datetime({ offset: true })
  .refine(value => new Date(value).getUTCFullYear() < 10_000, 'must be before the year 10000')

/** Control characters, line breaks and marks that turn the direction of the text after them. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u

/** Schema of a name that people read: without spaces around it, on one line. May be empty. */
export const nameText = (max: number) =>
  text(max)
    .overwrite(value => value.trim())
    .refine(value => !UNPRINTABLE.test(value), 'must be one line, without control characters')

/** Like `nameText`, but not empty. */
export const requiredName = (max: number) =>
  nameText(max)
    .refine(value => value !== '', 'must not be empty')
    .meta({ minLength: 1 })

/**
 * Schema of an integer from `min` to `max`, both included.
 * @param message what is said of any other value; by default, what is wrong with it
 */
export const integer = (min: number, max: number, message?: string) =>
  z
    .int({
      // Numbers that are not exact would be compared with the limit a second time.
      abort: true,
      error: ({ code }) =>
        message ??
        {
          invalid_type: 'must be an integer',
          too_big: `must be at most ${max}`,
          too_small: `must be at least ${min}`,
        }[code as string],
    })
    .min(min, message)
    .max(max, message)

const givenFlag = z.preprocess(
  value => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
)

/** Schema of a boolean, also as a text in a query string; false when it is absent. */
export const flagParameter = givenFlag.prefault(false).meta({ type: 'boolean' })

/** Like `flagParameter`, but undefined when it is absent. */
export const optionalFlagParameter = givenFlag.optional().meta({ type: 'boolean' })

/** Returns a 422 error with the messages of each wrong field. */
export function validationError(error: z.core.$ZodError): AppError {
  const fields: FieldErrors = {}
  for (const issue of error.issues) {
    const path = issue.path.map(String).join('.') || 'body'
    fields[path] = [...(fields[path] ?? []), issue.message]
  }
  const [path, messages] = Object.entries(fields)[0] ?? ['body', ['is not valid']]
  return new AppError('validation_failed', `${path} ${messages[0]}`, { fields, cause: error })
}

const NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

const FORMATS: Record<string, string> = {
  guid: 'a UUID',
  datetime: 'an ISO 8601 date-time with its offset',
}

/** Returns the message for a schema that defines none. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required'
      return `must be ${NAMES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'in the right format'}`
    case 'too_big':
      return `must ${verb(issue.origin)} at most ${issue.maximum}${unit(issue.origin)}`
    case 'too_small':
      return `must ${verb(issue.origin)} at least ${issue.minimum}${unit(issue.origin)}`
    default:
      return 'is not valid'
  }
}

const verb = (origin: string) => (origin === 'array' ? 'have' : 'be')
const unit = (origin: string) => (origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '')

z.config({ customError: describe })
