import { z } from 'zod'
import { isWithin, mend, requiredText, text } from '../../infra/validation.ts'

/** Absent, null and the empty string all mean that there is none. */
const optional = (max: number) =>
  text(max)
    .nullish()
    .transform(value => value || undefined)

const integer = (min: number, max: number) =>
  z
    .number(`must be an integer from ${min} to ${max}`)
    .refine(
      value => Number.isInteger(value) && value >= min && value <= max,
      `must be an integer from ${min} to ${max}`,
    )

const absentIfNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform(value => value ?? undefined)

const uuid = z.guid('must be a UUID').transform(value => value.toLowerCase())

const MAX_PROPERTIES = 50

/** Flat map of at most 50 scalar values, kept as strings; null values are left out. */
const Properties = absentIfNull(
  z.unknown().transform((value, context) => {
    if (value === undefined || value === null) return undefined
    const problem = (message: string, path: string[] = []) => {
      context.addIssue({ code: 'custom', message, path })
      return z.NEVER
    }
    if (typeof value !== 'object' || Array.isArray(value)) return problem('must be an object')
    const names = Object.keys(value)
    if (names.length > MAX_PROPERTIES) return problem(`must have at most ${MAX_PROPERTIES} keys`)
    const properties: Record<string, string> = {}
    for (const name of names) {
      const key = mend(name)
      if (key === '__proto__') continue
      if (key === '' || !isWithin(key, 64)) return problem('must have keys of 1 to 64 characters')
      const scalar = (value as Record<string, unknown>)[name]
      if (scalar === null) continue
      if (typeof scalar === 'object' || (typeof scalar === 'number' && !Number.isFinite(scalar))) {
        return problem('must be a string, a finite number or a boolean', [key])
      }
      const kept = mend(String(scalar))
      if (!isWithin(kept, 500)) return problem('must be at most 500 characters', [key])
      properties[key] = kept
    }
    return Object.keys(properties).length > 0 ? properties : undefined
  }),
)

const Screen = absentIfNull(
  z.object(
    { width: absentIfNull(integer(0, 65_535)), height: absentIfNull(integer(0, 65_535)) },
    'must be an object with width and height',
  ),
)
const Browser = absentIfNull(
  z.object({ name: optional(50), version: optional(50) }, 'must be an object with name and version'),
)

const sender = {
  hostname: requiredText(255),
  visitor_id: absentIfNull(uuid),
  // What the tracker will keep in a cookie if the site's mode is `cookie`; it learns the mode from the answer.
  new_visitor_id: absentIfNull(uuid),
}
const device = {
  referrer: optional(2048),
  screen: Screen,
  language: optional(35),
  os: optional(50),
  os_version: optional(50),
  browser: Browser,
  device: absentIfNull(z.enum(['desktop', 'mobile', 'tablet'], 'must be desktop, mobile or tablet')),
}
const URL_SHAPE = 'must be an object with path and title'
const page = z.object({ path: requiredText(2048), title: optional(512) }, URL_SHAPE)
const optionalPage = absentIfNull(z.object({ path: optional(2048), title: optional(512) }, URL_SHAPE))

const collect = { ...sender, ...device, url: page, properties: Properties }

const customEvent = {
  ...sender,
  ...device,
  name: requiredText(255),
  url: optionalPage,
  properties: Properties,
  // Read by hand later: what is malformed here is dropped, never refused.
  $: z.unknown().optional(),
  revenue: z.unknown().optional(),
  error: z.unknown().optional(),
}

const engage = {
  ...sender,
  url: page,
  sd: z
    .number('must be an integer from 0 to 100')
    .refine(value => Number.isInteger(value) && value >= 0, 'must be an integer from 0 to 100')
    .transform(value => Math.min(value, 100)),
  time: integer(0, 4_294_967_295),
}

const identify = {
  ...sender,
  identifier: requiredText(255),
  name: optional(255),
  avatar: optional(255).refine(isWebUrl, 'must be an http or https URL'),
  custom: Properties,
}

/** Only http(s): the avatar is shown as an image by whoever reads it. */
function isWebUrl(value: string | undefined): boolean {
  return value === undefined || (/^https?:\/\//i.test(value) && URL.canParse(value))
}

/** Bodies by endpoint, where the site is known from elsewhere. */
export const SCHEMAS = {
  collect: z.object(collect),
  event: z.object(customEvent),
  engage: z.object(engage),
  identify: z.object(identify),
}

/** Bodies as trackers send them: with the site's key. */
export const KEYED_SCHEMAS = {
  collect: z.object({ key: uuid, ...collect }),
  event: z.object({ key: uuid, ...customEvent }),
  engage: z.object({ key: uuid, ...engage }),
  identify: z.object({ key: uuid, ...identify }),
}

export type Collect = z.infer<typeof SCHEMAS.collect>
export type CustomEvent = z.infer<typeof SCHEMAS.event>
export type Engage = z.infer<typeof SCHEMAS.engage>
export type Identify = z.infer<typeof SCHEMAS.identify>
