import { z } from 'zod'
import { isWithin, text } from '../infra/validation.ts'
import { LIST_PERIODS } from '../stats/list-window.ts'
import { canonicalZone, isIanaZone } from '../stats/zones.ts'
import { isReportingCurrency } from './currencies.ts'
import { normalizeDomain } from './domain.ts'

const TRACKING_MODES = ['cookieless', 'cookie'] as const
type TrackingMode = (typeof TRACKING_MODES)[number]

/** A site as the database holds it. */
export interface SiteRecord {
  /** The dense number that stands for the site inside hypertables. */
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

/** What addresses a site: its UUID or its domain, inside the caller's team. */
export const SiteKey = z.object({ siteKey: z.string() })

/** @see spec.md "Site (single-site response)" */
export const Site = z.object({
  id: z.string(),
  domain: z.string(),
  favicon_url: z.string(),
  timezone: z.string(),
  currency: z.string(),
  tracking_mode: z.enum(TRACKING_MODES),
  tracking_key: z.string(),
  is_public: z.boolean(),
  is_pinned: z.boolean(),
  has_data: z.boolean(),
  track_errors: z.boolean(),
  track_web_vitals: z.boolean(),
  track_session_replay: z.boolean(),
  created_at: z.string().nullable(),
})
export type Site = z.infer<typeof Site>

/** @see spec.md "Site list item" */
export const SiteListItem = z.object({
  id: z.string(),
  domain: z.string(),
  favicon_url: z.string(),
  timezone: z.string(),
  created_at: z.string().nullable(),
  has_data: z.boolean(),
  is_pinned: z.boolean(),
  visitors: z.int(),
  change: z.int(),
  sparkline: z.array(z.int()),
  revenue: z.int(),
  revenue_sparkline: z.array(z.int()),
  currency: z.string(),
  has_revenue: z.boolean(),
})
export type SiteListItem = z.infer<typeof SiteListItem>
export const SiteList = z.array(SiteListItem)

const SITE_SORTS = ['most_visitors', 'fewest_visitors', 'domain_asc', 'domain_desc'] as const

export const ListSites = z.object({
  search: text(255).optional(),
  sort: z.enum(SITE_SORTS).default('most_visitors'),
  period: z.enum(LIST_PERIODS).default('24h').catch('24h'),
})
export type ListSites = z.infer<typeof ListSites>

const Domain = z
  .string()
  .refine(value => value !== '', 'is required')
  .refine(value => isWithin(value, 255), 'must be at most 255 characters')
  .refine(value => normalizeDomain(value) !== undefined, 'must be a host name, such as example.com')
  .overwrite(value => normalizeDomain(value) ?? value)

const Timezone = z
  .string()
  .refine(
    value => isWithin(value, 255) && isIanaZone(value),
    'must be an IANA time zone, such as Europe/Berlin',
  )
  .overwrite(value => canonicalZone(value) ?? value)

export const CreateSite = z.object({ domain: Domain, timezone: Timezone.default('UTC') })
export type CreateSite = z.infer<typeof CreateSite>

export const UpdateDomain = z.object({ domain: Domain })
export type UpdateDomain = z.infer<typeof UpdateDomain>

export const UpdateTimezone = z.object({ timezone: Timezone })
export type UpdateTimezone = z.infer<typeof UpdateTimezone>

/** Codes are upper case: `usd` is as unknown as `XXX`. */
export const UpdateCurrency = z.object({
  currency: z
    .string()
    .refine(code => isWithin(code, 3) && !isWithin(code, 2), {
      error: 'must be exactly 3 characters',
      abort: true,
    })
    .refine(isReportingCurrency, 'is not supported: GET /api/currencies lists those that are'),
})
export type UpdateCurrency = z.infer<typeof UpdateCurrency>

export const UpdateTrackingMode = z.object({ tracking_mode: z.enum(TRACKING_MODES) })
export type UpdateTrackingMode = z.infer<typeof UpdateTrackingMode>

export const UpdateSharing = z.object({ is_public: z.boolean() })
export type UpdateSharing = z.infer<typeof UpdateSharing>

/** A flag that is left out stays as it is. */
export const UpdateFeatures = z.object({
  track_errors: z.boolean().optional(),
  track_web_vitals: z.boolean().optional(),
  track_session_replay: z.boolean().optional(),
})
export type UpdateFeatures = z.infer<typeof UpdateFeatures>

/** What a form offers: the identifier to send and what people read. */
const OptionItem = z.object({ value: z.string(), label: z.string() })
export const OptionList = z.array(OptionItem)
export type OptionList = z.infer<typeof OptionList>
