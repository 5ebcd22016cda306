import { randomUUID } from 'node:crypto'
import type { EnrichedHit, Hit } from '../../src/ingestion/hit.ts'
import { enrich } from '../../src/ingestion/stages/index.ts'
import type { TestSite } from './sites.ts'

/** A pageview of `/` at `at`, unless `fields` say otherwise. */
export function rawHit(site: TestSite, at: number, fields: Partial<Hit> = {}): Hit {
  return {
    id: randomUUID(),
    at,
    siteNo: site.siteNo,
    siteId: site.id,
    type: 'pageview',
    visitorId: randomUUID(),
    hostname: 'example.com',
    url: '/',
    ...fields,
  }
}

export const enrichedHit = (site: TestSite, at: number, fields: Partial<Hit> = {}): EnrichedHit =>
  enrich(rawHit(site, at, fields))
