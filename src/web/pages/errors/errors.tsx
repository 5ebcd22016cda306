import { Link } from 'wouter'
import type { Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { Card } from '../../parts/card.tsx'
import { CsvButton } from '../../parts/form/download-button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { Empty } from '../../parts/states.tsx'
import { useLinks, usePage } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Count } from '../../visits/cells.tsx'
import { Seen, useErrorSeries } from './error-reads.tsx'
import css from './errors.module.css'

/** Errors of scripts on the pages of the site, by their message. */
export default function Errors() {
  const { common, errors } = useText()
  const { input } = useQuestion()
  const [page, onPage] = usePage()
  const columns = useColumns()
  const list = useStats('errors', { ...input, page })
  return (
    <>
      <h1 className="only-read">{common.nav.errors}</h1>
      <Card
        title={errors.title}
        note={errors.note}
        action={<CsvButton path="stats/errors" query={input} name="errors" />}
      >
        <ListTable
          read={list}
          empty={
            <Empty title={errors.none}>
              <p>{errors.noneHint}</p>
            </Empty>
          }
          label={errors.title}
          columns={columns}
          keyOf={({ id }) => id}
          onPage={onPage}
        />
      </Card>
    </>
  )
}

export type ErrorGroup = Outputs['stats']['errors']['data'][number]

function useColumns(): Column<ErrorGroup>[] {
  const { common, errors } = useText()
  return [
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
      cell: each => <Count value={each.occurrences} />,
    },
    {
      name: 'sessions',
      label: common.metrics.sessions,
      isNumber: true,
      cell: each => <Count value={each.sessions} />,
    },
    {
      name: 'visitors',
      label: common.short.visitors,
      isNumber: true,
      isWide: true,
      cell: each => <Count value={each.visitors} />,
    },
  ]
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

const WIDTH = 96
const HEIGHT = 24

/** A small series, without numbers: they stand beside it. */
function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  const step = WIDTH / Math.max(1, values.length)
  const width = Math.max(1, step - 1)
  const bars = values.map((value, index) => {
    const height = value === 0 ? 0 : Math.max(2, (value / most) * (HEIGHT - 2))
    return `M${index * step} ${HEIGHT}v${-height}h${width}v${height}z`
  })
  return (
    <svg
      className={css.spark}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      <path d={bars.join('')} />
    </svg>
  )
}
