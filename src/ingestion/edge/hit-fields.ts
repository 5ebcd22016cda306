import { z } from 'zod'
import { requiredText, text } from '../../platform/schema/validation.ts'

// Fields that the bodies of several ingestion endpoints share.

/** Text of at most `max` characters; absent, null and the empty string become undefined. */
export const optional = (max: number) =>
  text(max)
    .nullish()
    .transform(value => value || undefined)

export const integer = (min: number, max: number) =>
  z
    .number(`must be an integer from ${min} to ${max}`)
    .refine(
      value => Number.isInteger(value) && value >= min && value <= max,
      `must be an integer from ${min} to ${max}`,
    )
    .meta({ type: 'integer', minimum: min, maximum: max })

export const described = <Schema extends z.ZodType>(schema: Schema, description: string, example?: unknown) =>
  schema.meta({ description, ...(example !== undefined && { example }) })

export const absentIfNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform(value => value ?? undefined)

export const uuid = z.guid('must be a UUID').transform(value => value.toLowerCase())

export const sender = {
  hostname: described(requiredText(255), 'Host of the page.', 'example.com'),
  visitor_id: described(
    absentIfNull(uuid),
    'Id of the visitor, if the sender has one; otherwise the service makes one.',
  ),
  // The tracker stores this id in a cookie if the site's mode is `cookie`; the response tells it the mode.
  new_visitor_id: described(
    absentIfNull(uuid),
    "An id that the sender keeps from now on, if the site's tracking mode is `cookie`; ignored otherwise.",
  ),
}
export const URL_SHAPE = 'must be an object with path and title'
export const title = described(optional(512), 'Title of the document.', 'Pricing')
export const PATH = 'Path, with the query if tags are to be read from it.'
export const page = z
  .object({ path: described(requiredText(2048), PATH, '/pricing?utm_source=newsletter'), title }, URL_SHAPE)
  .meta({ description: 'The page.' })
export const key = described(uuid, "The site's tracking key.")
export const EXAMPLE = { key: '5c7f5a52-3c0b-4c39-9e0e-7f6b0a6f2d11', hostname: 'example.com' }
