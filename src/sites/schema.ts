import { z } from 'zod'
import { count, flag, label, timestamp, uuid } from '../infra/fields.ts'
import { isWithin, text } from '../infra/validation.ts'
import { cappedRevenueFields } from '../revenue/numbers.ts'
import { LIST_PERIODS } from '../stats/time/list-window.ts'
import { canonicalZone, isIanaZone } from '../stats/time/zones.ts'
import { currencyCodes, isReportingCurrency } from './currencies.ts'
import { normalizeDomain } from './domain.ts'

const TRACKING_MODES = ['cookieless', 'cookie'] as const
type TrackingMode = (typeof TRACKING_MODES)[number]

/** Database row of a site. */
export interface SiteRecord {
  /** Dense number that identifies the site in hypertables. */
  siteNo: number
  id: string
  teamId: string
  domain: string
  trackingKey: string
  timezone: string
  currency: string
  trackingMode: TrackingMode
  isPublic: boolean
  isPinned: boolean
  trackErrors: boolean
  trackWebVitals: boolean
  trackSessionReplay: boolean
  firstEventAt: Date | null
  createdAt: Date
}

/** Key of a site in the caller's team: its UUID or its domain. */
export const SiteKey = z.object({
  siteKey: label('Id or domain of a site.', 'example.com'),
})

const settings = {
  id: uuid('Site id.'),
  domain: label('Domain, as it is kept: lower case, punycode, with a port if it has one.', 'example.com'),
  favicon_url: z.string().meta({
    format: 'uri',
    description: 'Where the service serves the icon.',
    example: 'http://127.0.0.1:3000/favicons/example.com',
  }),
  timezone: label('IANA time zone: the reporting day.', 'Europe/Berlin'),
  currency: label('ISO 4217 reporting currency.', 'USD'),
  is_pinned: flag('Pinned to the top of the list.'),
  has_data: flag('The site has received its first hit.', true),
  created_at: timestamp('When it was made.').nullable(),
}

/** @see spec.md "Site (single-site response)" */
export const Site = z
  .object({
    ...settings,
    tracking_mode: z
      .enum(TRACKING_MODES)
      .meta({ description: 'Whether trackers keep a visitor id in a cookie.' }),
    tracking_key: uuid('What hits of the site carry as their `key`.'),
    is_public: flag('The dashboard is shared publicly.'),
    track_errors: flag('Trackers report errors.'),
    track_web_vitals: flag('Trackers report Web Vitals.'),
    track_session_replay: flag('Trackers record sessions.'),
  })
  .meta({ id: 'Site' })
export type Site = z.infer<typeof Site>

/** @see spec.md "Site list item" */
export const SiteListItem = z
  .object({
    ...settings,
    visitors: count('Distinct visitors in the period.', 128),
    change: z.int().meta({ description: 'Percent, against as many hours or days just before.', example: 12 }),
    sparkline: z.array(z.int()).meta({
      description: 'Visitors by hour (`24h`) or by day (`7d`, `30d`).',
      example: [...Array(23).fill(5), 13],
    }),
    ...cappedRevenueFields('Payments of the period, in minor units.', 49900),
    revenue_sparkline: z.array(z.int()).meta({
      description: 'Revenue in the buckets of `sparkline`, each at most 2^53 − 1.',
      example: [...Array(23).fill(0), 49900],
    }),
    has_revenue: flag('A payment processor is connected, or a payment came through the API.', true),
  })
  .meta({ id: 'SiteListItem' })
export type SiteListItem = z.infer<typeof SiteListItem>
export const SiteList = z.array(SiteListItem)

const SITE_SORTS = ['most_visitors', 'fewest_visitors', 'domain_asc', 'domain_desc'] as const

export const ListSites = z.object({
  search: text(255).optional().meta({ description: 'Part of the domain, in any case.', example: 'shop' }),
  sort: z.enum(SITE_SORTS).default('most_visitors').meta({ description: 'Within pinned and other sites.' }),
  period: z
    .enum(LIST_PERIODS)
    .default('24h')
    .catch('24h')
    .meta({ description: 'What visitors are counted in; any other value means `24h`.' }),
})
export type ListSites = z.infer<typeof ListSites>

const Domain = z
  .string()
  .refine(value => value !== '', 'is required')
  .refine(value => isWithin(value, 255), 'must be at most 255 characters')
  .refine(value => normalizeDomain(value) !== undefined, 'must be a host name, such as example.com')
  .overwrite(value => normalizeDomain(value) ?? value)
  .meta({
    minLength: 1,
    maxLength: 255,
    description:
      'Host name, IP address or `localhost`, with an optional port; scheme, path and a trailing dot are taken off.',
    example: 'example.com',
  })

const Timezone = z
  .string()
  .refine(
    value => isWithin(value, 255) && isIanaZone(value),
    'must be an IANA time zone, such as Europe/Berlin',
  )
  .overwrite(value => canonicalZone(value) ?? value)
  .meta({
    maxLength: 255,
    description: 'IANA time zone, one of `GET /api/timezones`.',
    example: 'Europe/Berlin',
  })

export const CreateSite = z.object({ domain: Domain, timezone: Timezone.default('UTC') })
export type CreateSite = z.infer<typeof CreateSite>

export const UpdateDomain = z.object({ domain: Domain })
export type UpdateDomain = z.infer<typeof UpdateDomain>

export const UpdateTimezone = z.object({ timezone: Timezone })
export type UpdateTimezone = z.infer<typeof UpdateTimezone>

/** Codes are upper case: `usd` is refused like an unknown code. */
export const UpdateCurrency = z.object({
  currency: z
    .string()
    .refine(code => isWithin(code, 3) && !isWithin(code, 2), {
      error: 'must be exactly 3 characters',
      abort: true,
    })
    .refine(isReportingCurrency, 'is not supported: GET /api/currencies lists those that are')
    .meta({
      description: 'One of `GET /api/currencies`, in upper case.',
      enum: currencyCodes,
      example: 'EUR',
    }),
})
export type UpdateCurrency = z.infer<typeof UpdateCurrency>

export const UpdateTrackingMode = z.object({
  tracking_mode: z
    .enum(TRACKING_MODES)
    .meta({ description: 'Whether trackers keep a visitor id in a cookie.' }),
})
export type UpdateTrackingMode = z.infer<typeof UpdateTrackingMode>

export const UpdateSharing = z.object({
  is_public: flag('Whether the dashboard is shared publicly.', true),
})
export type UpdateSharing = z.infer<typeof UpdateSharing>

/** A flag that is left out keeps its value. */
export const UpdateFeatures = z.object({
  track_errors: flag('Whether trackers report errors.', true).optional(),
  track_web_vitals: flag('Whether trackers report Web Vitals.').optional(),
  track_session_replay: flag('Whether trackers record sessions.').optional(),
})
export type UpdateFeatures = z.infer<typeof UpdateFeatures>

export const IdentifySecretStatus = z
  .object({ identify_secret_set: flag('Whether identities have to be signed.', true) })
  .meta({ id: 'IdentifySecretStatus' })
export type IdentifySecretStatus = z.infer<typeof IdentifySecretStatus>

export const IdentifySecret = z
  .object({
    identify_secret: label(
      'What the server of the site signs identifiers with: keep it there, it is not shown again.',
      '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    ),
  })
  .meta({ id: 'IdentifySecret' })
export type IdentifySecret = z.infer<typeof IdentifySecret>

/** Choice in a form: the value to send and the label to show. */
const OptionItem = z
  .object({
    value: label('What to send.', 'Europe/Berlin'),
    label: label('What people read.', 'Europe/Berlin'),
  })
  .meta({ id: 'OptionItem' })
export const OptionList = z.array(OptionItem)
export type OptionList = z.infer<typeof OptionList>
