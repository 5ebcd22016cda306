import type { EnrichedHit, Hit } from '../../../src/ingestion/hit.ts'
import { enrich } from '../../../src/ingestion/stages/index.ts'

export const SITE_ID = '5f0c7a52-3c1e-4a86-9d0b-0b7f4f6a2f11'

/** Returns a pageview of example.com with the given fields. */
export function hit(fields: Partial<Hit> = {}): Hit {
  return {
    id: '0197f2a0-0000-7000-8000-000000000000',
    at: 1_780_000_000_000,
    siteNo: 1,
    siteId: SITE_ID,
    type: 'pageview',
    visitorId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    hostname: 'example.com',
    ...fields,
  }
}

export const enriched = (fields: Partial<Hit>): EnrichedHit => enrich(hit(fields))
