import { v5 } from 'uuid'
import type { EnrichedHit } from '../../src/ingestion/hit.ts'
import { enrichedHit } from './hits.ts'
import type { SentHit } from './recount.ts'
import type { TestSite } from './sites.ts'

const NAMESPACE = '6f6a2f5e-9f2b-4f6c-8a51-0d9f6f3f3c11'

/** Reports of web vitals for every third pageview, some twice: the later one counts. */
export function vitalsOf(site: TestSite, hits: SentHit[]): EnrichedHit[] {
  return hits
    .filter(({ kind }) => kind === 'pageview')
    .flatMap((page, index) => {
      if (index % 3 > 0) return []
      const id = v5(page.id, NAMESPACE)
      const report = (at: number, lcp: number) =>
        enrichedHit(site, at, {
          id: v5(`${id} ${at}`, NAMESPACE),
          type: 'web_vitals',
          visitorId: page.visitor,
          url: page.path!,
          vitals: { id, lcp, cls: index, inp: 40 + index, lcpTarget: '#hero', inpPhase: 'input_delay' },
        })
      const first = report(page.at + 900, 1_000 + index)
      return index % 2 === 0 ? [first] : [first, report(page.at + 1_500, 2_000 + index)]
    })
}
