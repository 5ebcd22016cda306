import type { Inputs, Outputs } from '../../api/client.ts'
import type { Read } from '../../api/use-read.ts'
import { useStats } from '../../api/use-stats.ts'
import type { Format } from '../../format/format.ts'
import type { FilterName } from '../../state/filters.ts'
import { useQuestion, useSite } from '../../state/site.tsx'

export type Overview = Outputs['stats']['overview']
export type SeriesMetric = Inputs['stats']['timeseries']['metric']
export type Metric = Exclude<SeriesMetric, 'custom_events'> | 'conversion_rate'

/** Figures in their order; those that the answer has not are left out. */
export const METRICS: readonly Metric[] = [
  'visitors',
  'sessions',
  'pageviews',
  'views_per_visit',
  'bounce_rate',
  'avg_session_seconds',
  'conversion_rate',
  'revenue',
  'mrr',
]

export const isMoneyMetric = (name: string): boolean => name === 'revenue' || name === 'mrr'

/** Returns the metric of the chart: that of the address, if it is there; visitors by default. */
export function chosenMetric(params: URLSearchParams, overview: Overview | undefined): SeriesMetric {
  const wanted = params.get('metric') as SeriesMetric
  const isKnown = METRICS.includes(wanted as Metric) && (wanted as string) !== 'conversion_rate'
  return isKnown && (!overview || overview[wanted] !== undefined) ? wanted : 'visitors'
}

interface Written {
  short(value: number): string
  exact(value: number): string
}

/** Returns how values of a metric are written: short in a card, with every digit in a tooltip. */
export function valueText(format: Format, name: Metric | SeriesMetric): Written {
  switch (name) {
    case 'revenue':
      return { short: format.money, exact: value => format.exactMoney(value) }
    case 'mrr':
      return { short: format.signedMoney, exact: value => format.exactMoney(value) }
    case 'bounce_rate':
    case 'conversion_rate':
      return { short: format.percent, exact: format.percent }
    case 'avg_session_seconds':
      return { short: format.duration, exact: value => `${format.decimal(value)} s` }
    case 'views_per_visit':
      return { short: format.decimal, exact: format.decimal }
    default:
      return { short: format.count, exact: format.exact }
  }
}

/** The figures of the period. All who ask share one request. */
export function useOverview(): Read<Overview> {
  const { can } = useSite()
  const { input, compare, totals } = useQuestion()
  const query = { ...input, ...compare, ...totals }
  return useStats('overview', query, {
    enabled: can('traffic'),
  })
}

/** Tells whether a site without hits of its own has imported totals. */
export function useHasTotals(): boolean {
  const { id, hasData, can } = useSite()
  const query = { siteKey: id, range: 'all' as const, imported: true }
  const read = useStats('overview', query, {
    enabled: !hasData && can('traffic'),
  })
  return read.data?.imported?.used === true
}

/** A dimension whose values a breakdown lists, and which filters know. */
export type Dimension = Inputs['stats']['breakdown']['dimension'] & FilterName
