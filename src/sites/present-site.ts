import { presentOptions } from './options.ts'
import type { Site, SiteRecord } from './schema.ts'

/** Converts a site record to the site of the API. */
export function presentSite(site: SiteRecord, baseUrl: string): Site {
  return {
    id: site.id,
    favicon_url: faviconUrl(site.domain, baseUrl),
    tracking_key: site.trackingKey,
    has_data: site.firstEventAt !== null,
    created_at: site.createdAt.toISOString(),
    ...presentOptions(site),
  }
}

/** Returns the URL under which the service serves the site's icon. */
function faviconUrl(domain: string, baseUrl: string): string {
  return `${baseUrl}/favicons/${encodeURIComponent(domain).replaceAll('%3A', ':')}`
}
