import type { EnrichedHit, Hit } from '../../src/ingestion/hit.ts'
import { enrichedHit } from './hits.ts'
import { randomFrom } from './random-values.ts'
import type { TestSite } from './sites.ts'

/** What changes between two reads. */
export type Action = 'late' | 'before' | 'over' | 'very late'

interface Step {
  now: number
  /** Of each partition. */
  batches: EnrichedHit[][]
}

const STEP_MS = 4 * 60_000
const VISITORS = 24
const PARTITIONS = 4

const planOf = (which: number): Partial<Hit> => ({ props: { plan: ['team', 'solo'][which]! } })

/** Of some events: revenue in one of two currencies. */
const paid = (which: number): Partial<Hit> =>
  which < 2 ? { revenue: { amountMinor: String(1_999 + which), currency: ['EUR', 'USD'][which]! } } : {}

/** A visitor who opened a page at the start and has scrolled a little further in each step. */
function reading(site: TestSite, since: number, at: number): EnrichedHit[] {
  const visitorId = `00000000-0000-4000-8000-${String(VISITORS).padStart(12, '0')}`
  const fields: Partial<Hit> = { visitorId, url: '/page-1', title: 'Page 1' }
  if (since === 0) return [enrichedHit(site, at, fields)]
  const scroll = Math.min(100, Math.floor(since / 60_000))
  return [enrichedHit(site, at, { ...fields, type: 'engagement', scroll, engagedMs: 1_000 })]
}

export const sizeOf = ({ batches }: Step): number => batches.flat().length

/**
 * Hits of a site that is busy all the time: visitors come and go, see pages, sometimes two in the same millisecond, stay on them, click,
 * fail, sign up and pay. One reads the same page all the time. Hits come up to eight seconds late.
 */
export function* busyHits(site: TestSite, start: number, lengthMs: number, seed: number): Generator<Step> {
  const { int: below } = randomFrom(seed)
  let waiting: EnrichedHit[] = []
  for (let from = start; from < start + lengthMs; from += STEP_MS) {
    const now = from + STEP_MS
    const hits = [...waiting, ...reading(site, from - start, from + 1_000)]
    for (let visitor = 0; visitor < VISITORS; visitor++) {
      // Some are away for longer than half an hour, and begin another session then.
      if ((Math.floor(from / STEP_MS) + visitor) % 16 < visitor % 12) continue
      const visitorId = `00000000-0000-4000-8000-${String(visitor).padStart(12, '0')}`
      const at = from + below(STEP_MS - 60_000)
      const page = below(7)
      const fields: Partial<Hit> = {
        visitorId,
        url: `/page-${page}${below(2) === 0 ? '?utm_source=news' : ''}`,
        title: `Page ${page}`,
        hostname: below(5) === 0 ? 'docs.example.com' : 'example.com',
        country: ['DE', 'FR', 'US'][visitor % 3]!,
        referrer: below(2) === 0 ? 'https://www.google.com/' : 'https://example.org/a',
      }
      const hit = (after: number, more: Partial<Hit> = {}) =>
        enrichedHit(site, at + after, { ...fields, ...more })
      hits.push(hit(0))
      if (below(3) === 0) hits.push(hit(0, { url: '/twin', title: 'Twin' }))
      if (below(3) === 0) hits.push(hit(2_000 + below(3_000), { url: '/next', title: 'Next' }))
      if (below(2) === 0)
        hits.push(hit(20_000, { type: 'engagement', scroll: below(101), engagedMs: below(20_000) }))
      if (below(4) === 0)
        hits.push(
          hit(25_000, { type: 'event', name: `signup ${below(2)}`, ...paid(below(4)), ...planOf(below(2)) }),
        )
      if (below(4) === 0) {
        const props: Record<string, string> = below(2) === 0 ? { selector: '#buy' } : { text: 'Buy' }
        hits.push(
          hit(28_000, {
            type: below(2) === 0 ? 'button' : 'outbound',
            name: 'click',
            props,
            ...paid(below(4)),
          }),
        )
      }
      if (below(3) === 0)
        hits.push(hit(35_000, { type: 'engagement', scroll: below(101), engagedMs: below(9_000) }))
      if (below(6) === 0) {
        const error = { name: 'TypeError', message: `broken ${below(3)}` }
        hits.push(hit(26_000, { type: 'error', name: 'error', error }))
      }
    }
    // What comes late is stored with the next batch.
    waiting = hits.filter(({ at }) => at > now - 8_000)
    const batches = Array.from({ length: PARTITIONS }, (): EnrichedHit[] => [])
    for (const hit of hits)
      if (!waiting.includes(hit)) batches[Number(hit.visitorId.slice(-2)) % PARTITIONS]!.push(hit)
    yield { now, batches: batches.map(batch => batch.sort((a, b) => a.at - b.at)) }
  }
}
