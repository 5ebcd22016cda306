import { useValueText } from '../../filters/value-text.ts'
import { useFormat } from '../../format/format.ts'
import { Change } from '../../parts/figures/change.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/states.tsx'
import type { FilterName } from '../../state/filters.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Report } from './funnel-report.tsx'
import css from './funnel-rows.module.css'

type Row = NonNullable<Report['rows']>[number]

interface Props {
  dimension: FilterName
  report: Report
}

/** The funnel of each value: how many reach each step. A click filters by the value. */
export function FunnelRows({ dimension, report: { steps, rows = [], values = 0 } }: Props) {
  const { funnels: text, filters, overview } = useText()
  const { addFilter } = useQuestion()
  const format = useFormat()
  const valueText = useValueText()
  if (rows.length === 0) return <Empty />
  const columns: Column<Row>[] = [
    {
      name: 'value',
      label: filters.names[dimension],
      cell: ({ value }) => (
        <button
          type="button"
          className={css.value}
          aria-label={overview.filterBy(valueText(dimension, value))}
          onClick={() => addFilter({ name: dimension, operator: 'is', values: [value] })}
        >
          <HostileText>{valueText(dimension, value)}</HostileText>
        </button>
      ),
    },
    ...steps.map((_, index) => ({
      name: String(index),
      label: text.step(String(index + 1)),
      isNumber: true,
      isWide: index > 0 && index < steps.length - 1,
      cell: (row: Row) => {
        const { count, conversion_rate: rate } = row.steps[index]!
        return <span title={index === 0 ? undefined : format.percent(rate)}>{format.exact(count)}</span>
      },
    })),
    {
      name: 'conversion',
      label: text.conversion,
      isNumber: true,
      cell: row => format.percent(row.steps.at(-1)!.conversion_rate),
    },
    {
      name: 'change',
      label: '',
      isNumber: true,
      isWide: true,
      cell: ({ steps: now, previous }) =>
        previous && (
          <Change now={now.at(-1)!.conversion_rate} before={previous.steps.at(-1)!.conversion_rate} />
        ),
    },
  ]
  return (
    <>
      <DataTable
        label={text.byValue(filters.names[dimension])}
        columns={rows[0]!.previous ? columns : columns.slice(0, -1)}
        rows={rows}
        keyOf={({ value }) => value}
      />
      {values > rows.length && (
        <p className={css.note}>{text.most(format.exact(rows.length), format.exact(values))}</p>
      )}
    </>
  )
}
