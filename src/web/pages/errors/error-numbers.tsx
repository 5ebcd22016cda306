import { useFormat } from '../../format/format.ts'
import { type NamedNumber, NumberList } from '../../parts/number-list.tsx'
import { useText } from '../../text/text.tsx'
import type { ErrorGroup } from './error-table.tsx'
import { Seen } from './seen.tsx'

export function ErrorNumbers({ group }: { group: ErrorGroup }) {
  const { errors } = useText()
  const { count, exact } = useFormat()
  const figure = (name: string, label: string, value: number): NamedNumber => ({
    name,
    label,
    value: count(value),
    title: exact(value),
  })
  return (
    <NumberList
      numbers={[
        figure('occurrences', errors.occurrences, group.occurrences),
        figure('sessions', errors.affectedVisits, group.sessions),
        figure('visitors', errors.affectedVisitors, group.visitors),
        { name: 'first', label: errors.first, value: <Seen at={group.first_seen} /> },
        { name: 'last', label: errors.last, value: <Seen at={group.last_seen} /> },
      ]}
    />
  )
}
