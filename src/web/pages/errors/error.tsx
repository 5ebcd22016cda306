import { Link, useParams } from 'wouter'
import { useStats } from '../../api/use-stats.ts'
import { drawnPart } from '../../chart/series.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { useFormat } from '../../format/format.ts'
import { Card, CardGrid } from '../../parts/card.tsx'
import { type NamedNumber, NumberList } from '../../parts/figures.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Answer, Skeleton } from '../../parts/states.tsx'
import { useLinks } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Seen, useErrorSeries, useNewest } from './error-reads.tsx'
import css from './errors.module.css'
import type { ErrorGroup } from './errors.tsx'
import { Stacks, Where } from './newest.tsx'
import { Occurrences } from './occurrences.tsx'

/** One error: how often, to whom, where in the code, and in which visits. */
export default function ErrorPage() {
  const error = useParams().error!
  const { common, errors } = useText()
  const { input } = useQuestion()
  const linkTo = useLinks()
  const group = useStats('error', { ...input, error })
  const newest = useNewest(error)
  return (
    <>
      <Link href={linkTo('/errors')} className={css.back}>
        ← {common.nav.errors}
      </Link>
      <Answer read={group}>
        {data => (
          <>
            <header className={css.head}>
              <h1>
                <HostileText isWrapped>{data.message}</HostileText>
              </h1>
              <p className={css.type}>
                <HostileText>{data.error_name}</HostileText>
              </p>
            </header>
            <Card label={errors.numbers}>
              <ErrorNumbers group={data} />
              <ErrorSeries error={error} />
            </Card>
            <CardGrid>
              <Card title={errors.stack} isWide>
                <Answer read={newest}>{({ data: rows }) => <Stacks occurrences={rows} />}</Answer>
              </Card>
              <Card title={errors.where} isWide>
                <Answer read={newest}>
                  {({ data: rows, meta }) => <Where occurrences={rows} total={meta.total} />}
                </Answer>
              </Card>
              <Card title={errors.occurrences} isWide>
                <Occurrences error={error} />
              </Card>
            </CardGrid>
          </>
        )}
      </Answer>
    </>
  )
}

function ErrorNumbers({ group }: { group: ErrorGroup }) {
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

/** How often an error occurred over time. */
function ErrorSeries({ error }: { error: string }) {
  const { errors } = useText()
  const { exact } = useFormat()
  const { period } = useQuestion()
  const series = useErrorSeries(error)
  return (
    <Answer read={series} placeholder={<Skeleton rows={1} height={240} />}>
      {({ labels, group, series: { error: values } }) => (
        <TimeChart
          title={errors.overTime}
          labels={labels}
          group={group}
          lines={[
            {
              name: errors.occurrences,
              values,
              tone: 'traffic',
              format: exact,
              ...drawnPart(labels, period.range),
            },
          ]}
        />
      )}
    </Answer>
  )
}
