import { Link } from 'wouter'
import type { Outputs } from '../../api/types.ts'
import { useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { useLinks } from '../../state/kept-search.ts'
import { useText } from '../../text/text.tsx'
import css from './errors.module.css'
import { Seen } from './seen.tsx'
import { Sparkline } from './sparkline.tsx'
import { useErrorSeries } from './use-error-series.ts'

export type ErrorGroup = Outputs['stats']['errors']['data'][number]

export function ErrorTable({ groups }: { groups: readonly ErrorGroup[] }) {
  const { common, errors } = useText()
  const { count, exact } = useFormat()
  const number = (value: number) => <span title={exact(value)}>{count(value)}</span>
  const columns: Column<ErrorGroup>[] = [
    { name: 'error', label: errors.error, cell: group => <ErrorName group={group} /> },
    { name: 'trend', label: errors.trend, isWide: true, cell: ({ id }) => <Trend id={id} /> },
    {
      name: 'first',
      label: errors.first,
      isWide: true,
      isNumber: true,
      cell: group => <Seen at={group.first_seen} />,
    },
    {
      name: 'last',
      label: errors.last,
      isWide: true,
      isNumber: true,
      cell: group => <Seen at={group.last_seen} />,
    },
    {
      name: 'occurrences',
      label: errors.times,
      isNumber: true,
      cell: each => number(each.occurrences),
    },
    { name: 'sessions', label: common.metrics.sessions, isNumber: true, cell: each => number(each.sessions) },
    {
      name: 'visitors',
      label: common.short.visitors,
      isNumber: true,
      isWide: true,
      cell: each => number(each.visitors),
    },
  ]
  return <DataTable label={errors.title} columns={columns} rows={groups} keyOf={({ id }) => id} />
}

function ErrorName({ group: { id, message, error_name } }: { group: ErrorGroup }) {
  const linkTo = useLinks()
  return (
    <Link href={linkTo(`/errors/${id}`)} className={css.link}>
      <span className={css.message}>
        <HostileText>{message}</HostileText>
      </span>
      <span className={css.type}>
        <HostileText>{error_name}</HostileText>
      </span>
    </Link>
  )
}

function Trend({ id }: { id: string }) {
  const { data } = useErrorSeries(id)
  return <Sparkline values={data?.series.error ?? []} />
}
