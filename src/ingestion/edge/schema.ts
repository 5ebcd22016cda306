import { z } from 'zod'
import { requiredText } from '../../schema/validation.ts'
import {
  described,
  device,
  ErrorReport,
  integer,
  optional,
  optionalPage,
  Properties,
  page,
  Revenue,
  sender,
  uuid,
} from './fields.ts'

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
  engage: z.object(engage),
  identify: z.object(identify),
}

const key = described(uuid, "The site's tracking key.")
const EXAMPLE = { key: '5c7f5a52-3c0b-4c39-9e0e-7f6b0a6f2d11', hostname: 'example.com' }

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
}

export type Collect = z.infer<typeof SCHEMAS.collect>
export type CustomEvent = z.infer<typeof SCHEMAS.event>
export type Engage = z.infer<typeof SCHEMAS.engage>
export type Identify = z.infer<typeof SCHEMAS.identify>
