import { useFormat } from '../../format/format.ts'
import { type NamedNumber, NumberList } from '../../parts/number-list.tsx'
import { useText } from '../../text/text.tsx'
import type { ErrorGroup } from './error-table.tsx'
import { Seen } from './seen.tsx'
import { useErrorSeries } from './use-error-series.ts'

export function ErrorNumbers({ group }: { group: ErrorGroup }) {
  const { errors } = useText()
  const { count, exact } = useFormat()
  const { data: series } = useErrorSeries(group.id)
  const figure = (name: string, label: string, value: number): NamedNumber => ({
    name,
    label,
    value: count(value),
    title: exact(value),
  })
  const seen = (which: 'first' | 'last'): NamedNumber => ({
    name: which,
    label: errors[which],
    value: series ? <Seen series={series} which={which} /> : '…',
  })
  return (
    <NumberList
      numbers={[
        figure('occurrences', errors.occurrences, group.occurrences),
        figure('sessions', errors.affectedVisits, group.sessions),
        figure('visitors', errors.affectedVisitors, group.visitors),
        seen('first'),
        seen('last'),
      ]}
    />
  )
}
