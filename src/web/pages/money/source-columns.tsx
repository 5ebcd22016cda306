import { useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './source-card.module.css'
import { useSourceName } from './source-name.ts'
import type { MoneyDimension, SourceRow } from './use-money-rows.ts'

export type SourceSort = Exclude<keyof SourceRow, 'value'>

/** Columns of money by a dimension; without subscriptions those of MRR are left out. The name of a row filters by it. */
export function useSourceColumns(dimension: MoneyDimension, isRecurring: boolean) {
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
    cell: row => <span title={format.exact(row[name])}>{format.count(row[name])}</span>,
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
