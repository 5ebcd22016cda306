import { fieldOf, SESSION_ATTRIBUTES, type SessionAttribute } from '../../dimensions/dimensions.ts'
import type { EnrichedHit } from '../hit.ts'

/** What a session takes from its opening hit (docs/metrics.md "Dimensions"): its dimensions, and further attributes. Unknown ones are empty. */
export type Dimensions = Record<SessionAttribute, string>

export function dimensionsOf(hit: EnrichedHit): Dimensions {
  return {
    hostname: hit.hostname,
    entryPath: hit.path,
    referrer: hit.referrerPage,
    source: hit.source,
    channel: hit.channel,
    utmSource: hit.utmSource,
    utmMedium: hit.utmMedium,
    utmCampaign: hit.utmCampaign,
    utmContent: hit.utmContent,
    utmTerm: hit.utmTerm,
    browser: hit.browserName,
    browserVersion: hit.browserFullVersion,
    os: hit.osName,
    osVersion: hit.osFullVersion,
    size: hit.size,
    country: hit.country ?? '',
    region: hit.region ?? '',
    city: hit.city ?? '',
    language: hit.language ?? '',
    screen: screenOf(hit),
  }
}

/** Width and height in pixels, as `1920x1080`; empty if both are unknown. */
function screenOf({ screenWidth, screenHeight }: EnrichedHit): string {
  return screenWidth === undefined && screenHeight === undefined
    ? ''
    : `${screenWidth ?? ''}x${screenHeight ?? ''}`
}

const FIELDS: SessionAttribute[] = SESSION_ATTRIBUTES.map(fieldOf)

/** Dimensions of a hit without a session, such as a pending identify. */
export const NO_DIMENSIONS = Object.fromEntries(FIELDS.map(field => [field, ''])) as Dimensions

/** Copies a row for the cache: the driver's row, built field by field, takes ten times as much memory (224 bytes here). */
export function compact(row: Dimensions): Dimensions {
  const copy = { ...NO_DIMENSIONS }
  for (const field of FIELDS) copy[field] = row[field]
  return copy
}
