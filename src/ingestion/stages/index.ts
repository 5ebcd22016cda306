import type { AllFields, EnrichedHit, Hit, Stage } from '../hit.ts'
import { attribute } from './attribute.ts'
import { completeError } from './error.ts'
import { readReferrer } from './referrer.ts'
import { readUrl } from './url.ts'
import { readUserAgent } from './user-agent.ts'

/** The order matters: `attribute` reads fields that `readUrl` and `readReferrer` set. */
const stages: Stage[] = [readUrl, readReferrer, attribute, readUserAgent, completeError]

/**
 * Derives all fields that depend on the hit alone. Pure; never throws and never drops a hit. Every result has all fields in
 * one order: later code reads millions of hits, and V8 is fast with objects of one shape.
 */
export function enrich(hit: Hit): EnrichedHit {
  const enriched: AllFields<EnrichedHit> = {
    id: hit.id,
    at: hit.at,
    line: hit.line,
    comesLast: undefined,
    siteNo: hit.siteNo,
    siteId: hit.siteId,
    type: hit.type,
    visitorId: hit.visitorId,
    previousVisitorId: hit.previousVisitorId,
    hostname: hit.hostname,
    url: hit.url,
    title: hit.title,
    name: hit.name,
    props: hit.props,
    referrer: hit.referrer,
    userAgent: hit.userAgent,
    screenWidth: hit.screenWidth,
    screenHeight: hit.screenHeight,
    language: hit.language,
    os: hit.os,
    osVersion: hit.osVersion,
    browser: hit.browser,
    browserVersion: hit.browserVersion,
    device: hit.device,
    country: hit.country,
    region: hit.region,
    city: hit.city,
    revenue: hit.revenue,
    error: hit.error,
    errorId: hit.errorId,
    scroll: hit.scroll,
    engagedMs: hit.engagedMs,
    identity: hit.identity,
    vitals: hit.vitals,
    path: '',
    referrerPage: '',
    source: '',
    channel: '',
    utmSource: '',
    utmMedium: '',
    utmCampaign: '',
    utmContent: '',
    utmTerm: '',
    browserName: '',
    browserFullVersion: '',
    osName: '',
    osFullVersion: '',
    importedAs: undefined,
    size: 'desktop',
    restored: undefined,
  }
  for (const stage of stages) stage(enriched)
  return enriched
}
