import { z } from 'zod'
import { isWithin, mend, requiredText } from '../../platform/schema/validation.ts'
import {
  absentIfNull,
  described,
  EXAMPLE,
  integer,
  key,
  optional,
  PATH,
  page,
  sender,
  title,
  URL_SHAPE,
} from './hit-fields.ts'
import { KeyedWebVitals, WebVitals } from './web-vitals.ts'

const MAX_PROPERTIES = 50

type ReadProperties =
  | { properties: Record<string, string> | undefined }
  | { problem: string; path: string[] }
  | undefined

/** Reads custom properties; returns undefined when the value is absent or null. */
export function readProperties(value: unknown): ReadProperties {
  if (value === undefined || value === null) return undefined
  const refuse = (problem: string, path: string[] = []) => ({ problem, path })
  if (typeof value !== 'object' || Array.isArray(value)) return refuse('must be an object')
  const names = Object.keys(value)
  if (names.length > MAX_PROPERTIES) return refuse(`must have at most ${MAX_PROPERTIES} keys`)
  const properties: Record<string, string> = {}
  for (const name of names) {
    const key = mend(name)
    if (key === '__proto__') continue
    if (key === '' || !isWithin(key, 64)) return refuse('must have keys of 1 to 64 characters')
    const scalar = (value as Record<string, unknown>)[name]
    if (scalar === null) continue
    if (typeof scalar === 'object' || (typeof scalar === 'number' && !Number.isFinite(scalar))) {
      return refuse('must be a string, a finite number or a boolean', [key])
    }
    const kept = mend(String(scalar))
    if (!isWithin(kept, 500)) return refuse('must be at most 500 characters', [key])
    properties[key] = kept
  }
  return { properties: Object.keys(properties).length > 0 ? properties : undefined }
}

/** Flat map of at most 50 scalar values, stored as strings; null values are omitted. */
const Properties = absentIfNull(
  z.unknown().transform((value, context) => {
    const read = readProperties(value)
    if (!read || !('problem' in read)) return read?.properties
    context.addIssue({ code: 'custom', message: read.problem, path: read.path })
    return z.NEVER
  }),
).meta({
  type: ['object', 'null'],
  maxProperties: MAX_PROPERTIES,
  propertyNames: { minLength: 1, maxLength: 64 },
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: 500 },
})

const Screen = absentIfNull(
  z.object(
    {
      width: described(absentIfNull(integer(0, 65_535)), 'In CSS pixels.', 1920),
      height: described(absentIfNull(integer(0, 65_535)), 'In CSS pixels.', 1080),
    },
    'must be an object with width and height',
  ),
).meta({ description: 'The screen, not the window.' })
const Browser = absentIfNull(
  z.object(
    {
      name: described(optional(50), 'Its name.', 'Firefox'),
      version: described(optional(50), 'Its version.', '140.0'),
    },
    'must be an object with name and version',
  ),
).meta({ description: 'Outranks what the user agent says.' })

const device = {
  referrer: described(optional(2048), 'Where the visitor came from.', 'https://news.ycombinator.com/'),
  screen: Screen,
  language: described(optional(35), 'As browsers name it.', 'en-GB'),
  os: described(optional(50), 'Operating system; outranks the user agent.', 'Linux'),
  os_version: described(optional(50), 'Its version.', '6.12'),
  browser: Browser,
  device: described(
    absentIfNull(z.enum(['desktop', 'mobile', 'tablet'], 'must be desktop, mobile or tablet')),
    'Outranks what the user agent and the screen say.',
  ),
}
const optionalPage = absentIfNull(
  z.object({ path: described(optional(2048), PATH, '/pricing'), title }, URL_SHAPE),
).meta({ description: 'The page.' })

/** Validated later without zod: a malformed value is dropped and never causes a refusal. */
const Revenue = z
  .unknown()
  .optional()
  .meta({
    type: 'object',
    properties: {
      amount: {
        type: 'number',
        exclusiveMinimum: 0,
        description: 'In major units; at most 10^12 minor units.',
      },
      currency: { type: 'string', pattern: '^[A-Za-z]{3}$', description: 'ISO 4217.' },
    },
    required: ['amount', 'currency'],
    example: { amount: 49.99, currency: 'USD' },
  })

const ErrorReport = z
  .unknown()
  .optional()
  .meta({
    type: 'object',
    description: 'What is known of the error of an event named `error`. Any other shape is dropped.',
    properties: {
      name: { type: ['string', 'null'], description: 'Its type.' },
      message: {
        type: ['string', 'null'],
        description: 'Exactly as it was thrown: errors are told apart by it.',
      },
      stack: { type: ['string', 'null'], description: 'Stack trace.' },
      file_name: { type: ['string', 'null'], description: 'Where it was thrown.' },
      line_number: { type: ['string', 'number', 'null'], description: 'In that file.' },
      column_number: { type: ['string', 'number', 'null'], description: 'In that line.' },
    },
    example: { name: 'TypeError', message: 'x is undefined', line_number: 12 },
  })

const collect = {
  ...sender,
  ...device,
  url: page,
  properties: described(Properties, 'Properties of your own.', { plan: 'team' }),
}

const customEvent = {
  ...sender,
  ...device,
  name: described(requiredText(255), 'Name of the event.', 'signup'),
  url: optionalPage,
  properties: described(Properties, 'Properties of your own.', { plan: 'team' }),
  $: described(Revenue, 'As `revenue`, under the name that the tracker uses; it outranks that.'),
  revenue: described(Revenue, 'Reported revenue. Any other shape is dropped, and the event recorded.'),
  error: ErrorReport,
}

const engage = {
  ...sender,
  url: page,
  sd: z
    .number('must be an integer from 0 to 100')
    .refine(value => Number.isInteger(value) && value >= 0, 'must be an integer from 0 to 100')
    .transform(value => Math.min(value, 100))
    .meta({
      type: 'integer',
      minimum: 0,
      description: 'Deepest scroll, percent; more than 100 is taken as 100.',
      example: 80,
    }),
  time: described(integer(0, 4_294_967_295), 'Engaged milliseconds since the last ping.', 15_000),
}

const identify = {
  ...sender,
  identifier: described(requiredText(255), 'Id of the user in your system; it must not change.', 'user-42'),
  name: described(optional(255), 'Name of the user.', 'Ada Lovelace'),
  avatar: optional(255).refine(isWebUrl, 'must be an http or https URL').meta({
    format: 'uri',
    description: 'Address of the picture of the user, http or https.',
    example: 'https://example.com/ada.png',
  }),
  custom: described(Properties, 'Further fields of the user.', { plan: 'team' }),
  // Verified later, because only the site's settings say whether a signature is required.
  signature: z
    .unknown()
    .optional()
    .meta({
      type: ['string', 'null'],
      pattern: '^[0-9A-Fa-f]{64}$',
      description:
        'HMAC-SHA-256 of the identifier, keyed with the identify secret of the site, in hex; ignored when the site has no secret.',
      example: 'a63cb3bd204a755b540eda8a223d431f92f5aa347b397df1401e3901fdf6e659',
    }),
}

/** Allows only http(s): user interfaces show the avatar as an image. */
function isWebUrl(value: string | undefined): boolean {
  return value === undefined || (/^https?:\/\//i.test(value) && URL.canParse(value))
}

/** Bodies by endpoint without the tracking key, for callers that already know the site. */
export const SCHEMAS = {
  collect: z.object(collect),
  event: z.object(customEvent),
  // Other products know how long a page was read, but not how far: a depth of 0 would be a wrong one.
  engage: z.object({ ...engage, sd: absentIfNull(engage.sd) }),
  identify: z.object(identify),
  'web-vitals': WebVitals,
}

/** Bodies by endpoint with the tracking key, in the form that trackers send. */
export const KEYED_SCHEMAS = {
  collect: z.object({ key, ...collect }).meta({
    id: 'Pageview',
    example: {
      ...EXAMPLE,
      url: { path: '/pricing?utm_source=newsletter', title: 'Pricing' },
      referrer: 'https://news.ycombinator.com/',
      screen: { width: 1920, height: 1080 },
      language: 'en-GB',
    },
  }),
  event: z.object({ key, ...customEvent }).meta({
    id: 'CustomEvent',
    example: {
      ...EXAMPLE,
      name: 'purchase',
      url: { path: '/checkout' },
      properties: { plan: 'team', seats: 5 },
      revenue: { amount: 49.99, currency: 'USD' },
    },
  }),
  engage: z.object({ key, ...engage }).meta({
    id: 'Engagement',
    example: { ...EXAMPLE, url: { path: '/pricing' }, sd: 80, time: 15_000 },
  }),
  identify: z.object({ key, ...identify }).meta({
    id: 'Identify',
    example: { ...EXAMPLE, identifier: 'user-42', name: 'Ada Lovelace', custom: { plan: 'team' } },
  }),
  'web-vitals': KeyedWebVitals,
}

export type Collect = z.infer<typeof SCHEMAS.collect>
export type CustomEvent = z.infer<typeof SCHEMAS.event>
export type Engage = z.infer<typeof SCHEMAS.engage>
export type Identify = z.infer<typeof SCHEMAS.identify>
