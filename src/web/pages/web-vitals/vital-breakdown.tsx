import type { Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { ValueButton } from '../../filters/value-button.tsx'
import { Card } from '../../parts/card.tsx'
import { CsvButton } from '../../parts/form/download-button.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAddress, usePage } from '../../state/address.ts'
import { FILTERS } from '../../state/filters.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Count } from '../../visits/cells.tsx'
import { Shares } from './metric-cells.tsx'
import { useVitalText, type Vital } from './vitals.ts'

const DIMENSIONS = ['path', 'size', 'country', 'browser'] as const
type Dimension = (typeof DIMENSIONS)[number]
type Row = Outputs['stats']['webVitalsBreakdown']['data'][number]
type Sort = 'samples' | 'p75'

/** A metric by page, device, country or browser. A click on a value filters by it. */
export function VitalBreakdown({ metric }: { metric: Vital }) {
  const { explore } = useText()
  const { vitals: text } = explore
  const { can } = useSite()
  const { input } = useQuestion()
  const { params, change } = useAddress()
  const [page, onPage] = usePage()
  const allowed = DIMENSIONS.filter(name => can(FILTERS[name]))
  const dimension = allowed.find(name => name === params.get('by')) ?? 'path'
  const sort: Sort = params.get('sort') === 'p75' ? 'p75' : 'samples'
  const columns = useColumns(metric, dimension)
  const query = { ...input, metric, dimension, sort, page }
  const read = useStats('webVitalsBreakdown', query)
  return (
    <Card isWide label={text.breakdown}>
      <Tabs
        label={text.breakdown}
        tabs={allowed.map(name => ({ name, label: text.tabs[name] }))}
        value={dimension}
        onChange={name => change({ by: name === 'path' ? null : name, page: null })}
        action={<CsvButton path="stats/web-vitals/breakdown" query={query} name={metric} />}
      >
        <ListTable
          read={read}
          label={text.breakdown}
          columns={columns}
          keyOf={({ value }) => value}
          sort={sort}
          order="desc"
          onSort={next => change({ sort: next === 'samples' ? null : next, page: null })}
          onPage={onPage}
        />
      </Tabs>
    </Card>
  )
}

function useColumns(metric: Vital, dimension: Dimension): Column<Row, Sort>[] {
  const { explore, filters } = useText()
  const { vitals: text } = explore
  const write = useVitalText()
  const percentile = (name: 'p50' | 'p75' | 'p95'): Column<Row, Sort> => ({
    name,
    label: text.short[name],
    isNumber: true,
    isWide: name !== 'p75',
    ...(name === 'p75' && { sort: name }),
    cell: row => write(metric, row[name]),
  })
  return [
    {
      name: 'value',
      label: filters.names[dimension],
      cell: ({ value }) => <ValueButton name={dimension} value={value} />,
    },
    { name: 'shares', label: text.shares, cell: row => <Shares measured={row} /> },
    percentile('p50'),
    percentile('p75'),
    percentile('p95'),
    {
      name: 'samples',
      label: text.samples,
      isNumber: true,
      isWide: true,
      sort: 'samples',
      cell: row => <Count value={row.samples} />,
    },
  ]
}
