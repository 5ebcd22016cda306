import { useState } from 'react'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { CsvButton } from '../../parts/form/download-button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAddress } from '../../state/address.ts'
import { FILTERS } from '../../state/filters.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Count } from '../../visits/cells.tsx'
import css from './money.module.css'
import {
  DIMENSIONS,
  isUnattributed,
  type MoneyDimension,
  type SourceRow,
  useMoneyRows,
  useSourceName,
} from './source-rows.ts'

const SHOWN = 8

/** Which channels, sources and pages bring money: sorted by MRR, so that the best one stands first. */
export function SourceCard({ isRecurring }: { isRecurring: boolean }) {
  const { money } = useText()
  const { sources: text } = money
  const { can } = useSite()
  const { params, change } = useAddress()
  const tabs = DIMENSIONS.filter(name => can(FILTERS[name]))
  const wanted = params.get('tab') as MoneyDimension
  const dimension = tabs.includes(wanted) ? wanted : tabs[0]
  if (dimension === undefined) return null
  return (
    <Card label={text.title}>
      <h2 className="only-read">{text.title}</h2>
      <Tabs
        label={text.title}
        tabs={tabs.map(name => ({ name, label: text.tabs[name] }))}
        value={dimension}
        onChange={name => change({ tab: name === tabs[0] ? null : name }, { replace: true })}
      >
        <Sources key={dimension} dimension={dimension} isRecurring={isRecurring} />
      </Tabs>
    </Card>
  )
}

function Sources({ dimension, isRecurring }: { dimension: MoneyDimension; isRecurring: boolean }) {
  const { money } = useText()
  const { sources: text } = money
  const { input } = useQuestion()
  const { exact } = useFormat()
  const { params, change } = useAddress()
  const [isWhole, setWhole] = useState(false)
  const { columns, sorts } = useSourceColumns(dimension, isRecurring)
  const wanted = params.get('sort') as SourceSort
  const sort = sorts.includes(wanted) ? wanted : isRecurring ? 'mrr' : 'revenue'
  const order = params.get('order') === 'asc' ? 'asc' : 'desc'
  const readSort = sort === 'revenue' || sort === 'new_customers' ? sort : isRecurring ? 'mrr' : 'revenue'
  const read = useMoneyRows(dimension, readSort)
  return (
    <Answer read={read}>
      {({ rows, total }) => {
        if (rows.length === 0) return <Empty />
        const sorted = sortRows(dimension, rows, sort, order)
        return (
          <>
            <DataTable
              label={`${text.title}: ${text.tabs[dimension]}`}
              columns={columns}
              rows={isWhole ? sorted : sorted.slice(0, SHOWN)}
              keyOf={({ value }) => value}
              sort={sort}
              order={order}
              onSort={next =>
                change(
                  { sort: next, order: next === sort && order === 'desc' ? 'asc' : null },
                  { replace: true },
                )
              }
            />
            <div className={css.foot}>
              {rows.length > SHOWN && (
                <Button kind="quiet" onClick={() => setWhole(!isWhole)}>
                  {isWhole ? text.showFewer : text.showAll(exact(rows.length))}
                </Button>
              )}
              {total > rows.length && <span>{text.most(exact(rows.length), exact(total))}</span>}
              <CsvButton
                path="stats/money/breakdown"
                query={{ ...input, dimension, sort: readSort }}
                name={`money-${dimension}`}
              />
            </div>
          </>
        )
      }}
    </Answer>
  )
}

/** Rows without a number come last in either order, and money without a visit, which no channel has earned. */
function sortRows(
  dimension: MoneyDimension,
  rows: readonly SourceRow[],
  sort: SourceSort,
  order: 'asc' | 'desc',
): SourceRow[] {
  const sign = order === 'asc' ? 1 : -1
  return [...rows].sort((a, b) => {
    const [first, second] = [a, b].map(({ value }) => Number(isUnattributed(dimension, value)))
    if (first !== second) return first! - second!
    const [one, other] = [a[sort], b[sort]]
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    return sign * (one - other) || b.visitors - a.visitors
  })
}

type SourceSort = Exclude<keyof SourceRow, 'value'>

/** Columns of money by a dimension; without subscriptions those of MRR are left out. The name of a row filters by it. */
function useSourceColumns(dimension: MoneyDimension, isRecurring: boolean) {
  const { money, filters, overview } = useText()
  const { sources: text } = money
  const format = useFormat()
  const nameOf = useSourceName()
  const { addFilter } = useQuestion()
  const amount = (name: SourceSort, write: (minor: number) => string): Column<SourceRow, SourceSort> => ({
    name,
    label: text[name],
    sort: name,
    isNumber: true,
    isMoney: true,
    cell: row => {
      const value = row[name]
      return value === null ? '–' : <span title={format.exactMoney(value)}>{write(value)}</span>
    },
  })
  const count = (name: 'visitors' | 'new_customers'): Column<SourceRow, SourceSort> => ({
    name,
    label: text[name],
    sort: name,
    isNumber: true,
    cell: row => <Count value={row[name]} />,
  })
  const columns: Column<SourceRow, SourceSort>[] = [
    {
      name: 'value',
      label: filters.names[dimension],
      cell: ({ value }) => {
        const name = nameOf(dimension, value)
        return (
          <button
            type="button"
            className={css.value}
            aria-label={overview.filterBy(name)}
            onClick={() => addFilter({ name: dimension, operator: 'is', values: [value] })}
          >
            <HostileText>{name}</HostileText>
          </button>
        )
      },
    },
    { ...count('visitors'), isWide: isRecurring },
    { ...count('new_customers'), isWide: true },
    amount('revenue', format.money),
    ...(isRecurring
      ? [amount('mrr', format.signedMoney), { ...amount('mrr_per_thousand', format.money), isWide: true }]
      : []),
  ]
  return { columns, sorts: columns.flatMap(({ sort }) => sort ?? []) }
}
