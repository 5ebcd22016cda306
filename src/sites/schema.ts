import { z } from 'zod'
import { isWithin, text } from '../infra/validation.ts'
import { LIST_PERIODS } from '../stats/list-window.ts'
import { canonicalZone, isIanaZone } from '../stats/zones.ts'
import { normalizeDomain } from './domain.ts'

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
  trackingMode: 'cookieless' | 'cookie'
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
  tracking_mode: z.enum(['cookieless', 'cookie']),
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
