import { z } from 'zod'
import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { count, label } from '../../schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../schema/pagination.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { CauseCount } from '../counts/vitals.ts'
import { StatsQuery } from '../filters/query.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'
import { metricField } from './fields.ts'
import { poorAbove } from './measures.ts'

export const WebVitalsAttributionQuery = StatsQuery.safeExtend({ ...metricField, ...pageFields(25) })
export type WebVitalsAttributionQuery = z.infer<typeof WebVitalsAttributionQuery>

/** @see docs/metrics.md "Web Vitals" */
export const WebVitalsCause = z
  .object({
    path: label('Path of the page.', '/pricing'),
    target: label('CSS selector of the element that decided the value; `(none)` if unknown.', '#hero > img'),
    phase: label('The longest part of the time; `(none)` if unknown.', 'resource_load_duration'),
    samples: count('Reports with a poor value.', 12),
  })
  .meta({ id: 'WebVitalsCause' })
export type WebVitalsCause = z.infer<typeof WebVitalsCause>

type CauseRow = CauseCount & { total: number }

const countVitalCauses = filteredQuery<{ limit: number; offset: number }, CauseRow>(
  'count-vital-causes',
  ['filtered_vitals'],
  `select path, target, phase, count(*) as samples, count(*) over () as total
  from filtered_vitals
  group by path, target, phase
  order by samples desc, path collate "C", target collate "C", phase collate "C"
  limit (select "limit" from params)
  offset (select "offset" from params)`,
)

/** Returns what decided the poor values of a metric, the most frequent first. */
export async function getWebVitalsAttribution(
  services: StatsServices,
  site: StatsSite,
  { metric, ...query }: WebVitalsAttributionQuery,
): Promise<Page<WebVitalsCause>> {
  const { resolved } = await resolveContext(services, site, query)
  const vital = { metric, above: poorAbove(metric) }
  const { limit, offset } = windowOf(query)
  const pageOf = (causes: CauseCount[]) => {
    const merged = mergeCauses(causes)
    return { rows: merged.slice(offset, offset + limit).map(present), total: merged.length }
  }
  const counted = await countAsked(services, keptPart(resolved), 'vitalCauses', vital)
  if (counted) return pageOf(counted)
  if (!services.slices) {
    const rows = await countVitalCauses(services.reads, resolved, { vital, params: { limit, offset } })
    // A page beyond the last has no row to say the total.
    const [first] =
      rows.length > 0 || offset === 0
        ? rows
        : await countVitalCauses(services.reads, resolved, { vital, params: { limit: 1, offset: 0 } })
    return { rows: rows.map(present), total: first?.total ?? 0 }
  }
  const params = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }
  return pageOf(await readSlices(services, countVitalCauses, resolved, { vital, params }))
}

/** Adds the rows of all slices, and sorts them as the database does. */
function mergeCauses(rows: readonly CauseCount[]): CauseCount[] {
  const merged = new Map<string, CauseCount>()
  for (const row of rows) {
    const key = JSON.stringify([row.path, row.target, row.phase])
    const before = merged.get(key)
    merged.set(key, before ? { ...before, samples: before.samples + row.samples } : row)
  }
  return [...merged.values()].sort(
    (a, b) =>
      b.samples - a.samples ||
      compareTexts(a.path, b.path) ||
      compareTexts(a.target, b.target) ||
      compareTexts(a.phase, b.phase),
  )
}

const present = ({ path, target, phase, samples }: CauseCount): WebVitalsCause => ({
  path,
  target: target || '(none)',
  phase: phase || '(none)',
  samples,
})
