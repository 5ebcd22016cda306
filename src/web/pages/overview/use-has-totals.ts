import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useSite } from '../../state/site.tsx'

/** Tells whether a site without hits of its own has imported totals. */
export function useHasTotals(): boolean {
  const { id, hasData, can } = useSite()
  const query = { siteKey: id, range: 'all' as const, imported: true }
  const read = useRead(['overview', query], signal => api.stats.overview.query(query, { signal }), {
    enabled: !hasData && can('traffic'),
  })
  return read.data?.imported?.used === true
}
