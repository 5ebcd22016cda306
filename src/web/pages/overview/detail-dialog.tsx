import { useState } from 'react'
import type { Inputs, Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { useValueText } from '../../filters/filter-text.ts'
import { ValueButton } from '../../filters/value-button.tsx'
import { useFormat } from '../../format/format.ts'
import { ExplainButton, type Explained } from '../../parts/explain/explain-button.tsx'
import { SearchInput } from '../../parts/form/choices.tsx'
import { CsvButton } from '../../parts/form/download-button.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { List } from '../../parts/lists/list.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useQuestion, useSite } from '../../state/site.tsx'
import { usePaused } from '../../state/use-paused.ts'
import { useText } from '../../text/text.tsx'
import { ImportedLine } from './imported.tsx'
import type { Dimension } from './metrics.ts'

type Row = Outputs['stats']['breakdown']['data'][number]
type Sort = NonNullable<Inputs['stats']['breakdown']['sort']>
type Order = 'asc' | 'desc'

const PER_PAGE = 25

/** All values of a dimension: with search, sorted by any number, in pages, and as a file. */
export default function DetailDialog({ dimension, onClose }: { dimension: Dimension; onClose(): void }) {
  const { common, overview, filters } = useText()
  const { input, totals } = useQuestion()
  const [typed, setTyped] = useState('')
  const [sort, setSort] = useState<Sort>('visitors')
  const [order, setOrder] = useState<Order>('desc')
  const [page, setPage] = useState(1)
  const search = usePaused(typed.trim())
  const query = {
    ...input,
    ...totals,
    dimension,
    sort,
    order,
    per_page: PER_PAGE,
    page,
    ...(search !== '' && { search }),
  }
  const read = useStats('breakdown', query)
  // What is explained are the site's own numbers.
  const columns = useColumns(dimension, !read.data?.imported?.used, onClose)
  const title = overview.cards[dimension as keyof typeof overview.cards] ?? filters.names[dimension]
  return (
    <Dialog
      open
      size="wide"
      title={title}
      onClose={onClose}
      action={<CsvButton path="stats/breakdown" query={query} name={dimension} />}
    >
      <SearchInput
        label={common.actions.search}
        value={typed}
        onSearch={text => {
          setTyped(text)
          setPage(1)
        }}
      />
      <List read={read} empty={search === '' ? undefined : filters.noValues} onPage={setPage}>
        {(rows, { imported }) => (
          <>
            <DataTable
              label={title}
              columns={columns}
              rows={rows}
              keyOf={({ value }) => value}
              sort={sort}
              order={order}
              onSort={next => {
                setOrder(next === sort && order === 'desc' ? 'asc' : 'desc')
                setSort(next)
                setPage(1)
              }}
            />
            <ImportedLine imported={imported} />
          </>
        )}
      </List>
    </Dialog>
  )
}

function useColumns(dimension: Dimension, isOwn: boolean, onClose: () => void): Column<Row, Sort>[] {
  const { common, filters, explain } = useText()
  const { can } = useSite()
  const { input } = useQuestion()
  const format = useFormat()
  const valueText = useValueText()
  const number = (
    name: Sort & keyof Row,
    write: (value: number) => string,
    exact: (value: number) => string,
    more: Partial<Column<Row, Sort>> = {},
  ): Column<Row, Sort> => ({
    name,
    label: common.metrics[name as keyof typeof common.metrics],
    sort: name,
    isNumber: true,
    cell: row => {
      const value = row[name] as number | null | undefined
      return value === null || value === undefined ? '–' : <span title={exact(value)}>{write(value)}</span>
    },
    ...more,
  })
  const isPage = dimension === 'path' || dimension === 'title'
  const money = { isMoney: true }
  const explained = (metric: keyof typeof explain.rules, write: (value: number) => string): Explained => ({
    metric,
    name: common.metrics[metric],
    write,
    rule: explain.rules[metric],
  })
  const numbers: [Explained, ...Explained[]] = [
    explained('visitors', format.exact),
    explained('sessions', format.exact),
    explained('pageviews', format.exact),
    explained('bounce_rate', format.percent),
    explained('avg_session_seconds', format.duration),
    ...(isPage
      ? [explained('time_on_page_seconds', format.duration), explained('scroll_depth', format.percent)]
      : []),
    ...(can('revenue')
      ? (['revenue', 'mrr'] as const).map(name => explained(name, value => format.exactMoney(value)))
      : []),
  ]
  return [
    {
      name: 'value',
      label: filters.names[dimension],
      sort: 'value',
      cell: ({ value }) => <ValueButton name={dimension} value={value} onFilter={onClose} />,
    },
    number('visitors', format.count, format.exact),
    number('pageviews', format.count, format.exact, { isWide: true }),
    number('bounce_rate', format.percent, format.percent, { isWide: true }),
    isPage
      ? number('time_on_page_seconds', format.duration, format.duration, { isWide: true })
      : number('avg_session_seconds', format.duration, format.duration, { isWide: true }),
    ...(isPage ? [number('scroll_depth', format.percent, format.percent, { isWide: true })] : []),
    ...(can('revenue')
      ? [
          number('revenue', format.money, value => format.exactMoney(value), money),
          number('mrr', format.signedMoney, value => format.exactMoney(value), { ...money, isWide: true }),
        ]
      : []),
    ...(isOwn
      ? [
          {
            name: 'explain',
            label: '',
            cell: ({ value }: Row) => (
              <ExplainButton
                of={valueText(dimension, value)}
                ask={{ ...input, read: 'breakdown', dimension, value }}
                numbers={numbers}
              />
            ),
          },
        ]
      : []),
  ]
}
