import { api } from '../../api/client.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import type { Overview } from './metrics.ts'

/** The figures of the period. All who ask share one request. */
export function useOverview(): Read<Overview> {
  const { can } = useSite()
  const { input, compare, totals } = useQuestion()
  const query = { ...input, ...compare, ...totals }
  return useRead(['overview', query], signal => api.stats.overview.query(query, { signal }), {
    enabled: can('traffic'),
  })
}
