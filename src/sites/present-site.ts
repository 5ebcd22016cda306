import type { Site, SiteRecord } from './schema.ts'

/** Converts a site record to the site of the API. */
export function presentSite(site: SiteRecord, baseUrl: string): Site {
  return {
    id: site.id,
    domain: site.domain,
    favicon_url: faviconUrl(site.domain, baseUrl),
    timezone: site.timezone,
    currency: site.currency,
    tracking_mode: site.trackingMode,
    tracking_key: site.trackingKey,
    is_public: site.isPublic,
    is_pinned: site.isPinned,
    has_data: site.firstEventAt !== null,
    track_errors: site.trackErrors,
    track_web_vitals: site.trackWebVitals,
    track_session_replay: site.trackSessionReplay,
    created_at: site.createdAt.toISOString(),
  }
}

/** Returns the URL under which the service serves the site's icon. */
export function faviconUrl(domain: string, baseUrl: string): string {
  return `${baseUrl}/favicons/${encodeURIComponent(domain).replaceAll('%3A', ':')}`
}
