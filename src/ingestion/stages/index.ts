import type { EnrichedHit, Hit, Stage } from '../hit.ts'
import { attribute } from './attribute.ts'
import { readError } from './error.ts'
import { readReferrer } from './referrer.ts'
import { classifySize } from './size.ts'
import { readUrl } from './url.ts'
import { readUserAgent } from './user-agent.ts'

/** In this order: `attribute` needs what the two before it have set. */
const stages: Stage[] = [readUrl, readReferrer, attribute, readUserAgent, classifySize, readError]

/** Works out everything that a hit says by itself. Pure; never throws and never drops. */
export function enrich(hit: Hit): EnrichedHit {
  return stages.reduce<EnrichedHit>((enriched, stage) => stage(enriched), {
    ...hit,
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
    size: 'desktop',
  })
}
