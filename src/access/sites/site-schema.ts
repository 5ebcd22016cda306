import { z } from 'zod'
import { cappedRevenueFields } from '../../platform/schema/amounts.ts'
import { count, flag, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { text } from '../../platform/schema/validation.ts'
import { LIST_PERIODS } from '../../platform/time/list-window.ts'
import { OPTION_COLUMNS, type OptionValues, presentOptions, siteFields, siteListFields } from './options.ts'

/** Database row of a site. */
export interface SiteRecord extends OptionValues {
  /** Dense number that identifies the site in hypertables. */
  siteNo: number
  id: string
  teamId: string
  trackingKey: string
  /** Time of its earliest pageview or event; null until there is one. */
  firstEventAt: Date | null
  /** Hits and sessions before it are gone; null while none were dropped. */
  detailsFrom: Date | null
  createdAt: Date
}

/** Select list of a `SiteRecord`. */
export const SITE_COLUMNS = `
  site_no as "siteNo",
  id,
  team_id as "teamId",
  tracking_key as "trackingKey",
  first_event_at as "firstEventAt",
  details_from as "detailsFrom",
  created_at as "createdAt",
  ${OPTION_COLUMNS}`

/** Key of a site in the caller's team: its UUID or its domain. */
export const SiteKey = z.object({
  siteKey: label('Id or domain of a site.', 'example.com'),
})

const sharedFields = {
  id: uuid('Site id.'),
  ...siteListFields,
  favicon_url: z.string().meta({
    format: 'uri',
    description: 'Where the service serves the icon.',
    example: 'http://127.0.0.1:3000/favicons/example.com',
  }),
  has_data: flag('The site has received its first hit.', true),
  created_at: timestamp('When it was made.').nullable(),
}

/** @see docs/api.md "Sites" */
export const Site = z
  .object({
    ...sharedFields,
    tracking_key: uuid('What hits of the site carry as their `key`.'),
    ...siteFields,
    has_processor: flag('A payment processor is connected.', false),
    details_from: timestamp(
      'Details (hits, sessions) before it are gone: filters and lists begin there. Null while nothing was dropped.',
    )
      .nullable()
      .meta({ example: null }),
  })
  .meta({ id: 'Site' })
export type Site = z.infer<typeof Site>

/** @see docs/metrics.md "Site list" */
export const SiteListItem = z
  .object({
    ...sharedFields,
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

const OptionItem = z
  .object({
    value: label('What to send.', 'Europe/Berlin'),
    label: label('Text to show.', 'Europe/Berlin'),
  })
  .meta({ id: 'OptionItem' })
export const OptionList = z.array(OptionItem)
export type OptionList = z.infer<typeof OptionList>

/** Converts a site record to what the API shows of it. */
export function presentSite(site: SiteRecord, baseUrl: string): Omit<Site, 'has_processor'> {
  return {
    id: site.id,
    favicon_url: `${baseUrl}/favicons/${encodeURIComponent(site.domain).replaceAll('%3A', ':')}`,
    tracking_key: site.trackingKey,
    has_data: site.firstEventAt !== null,
    created_at: site.createdAt.toISOString(),
    ...presentOptions(site),
    details_from: site.detailsFrom?.toISOString() ?? null,
  }
}
