import type { Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { GroupMenu, Legend } from '../../chart/chart-tools.tsx'
import { drawnPart, type LineSeries, type Series, type Tone } from '../../chart/series.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import type { Group } from '../../format/dates.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Course } from './metrics.ts'
import css from './money.module.css'

type Movements = Outputs['stats']['moneyMovements']
type Kind = 'new' | 'reactivation' | 'expansion' | 'contraction' | 'churn'

/** Kinds of changes from the axis outward, with their inks. */
const KINDS: readonly { kind: Kind; tone: Tone }[] = [
  { kind: 'new', tone: 'money' },
  { kind: 'reactivation', tone: 'money-soft' },
  { kind: 'expansion', tone: 'money-quiet' },
  { kind: 'contraction', tone: 'neutral-quiet' },
  { kind: 'churn', tone: 'neutral' },
]

/** The course of MRR, of its change or of revenue over time; below it what MRR gained and lost. */
export function MoneyChart({ course, isRecurring }: { course: Course; isRecurring: boolean }) {
  const { params, change } = useAddress()
  const { input, compare } = useQuestion()
  const group = (params.get('group') ?? undefined) as Group | undefined
  const query = { ...input, ...compare, ...(group && { group }) }
  const movements = useStats('moneyMovements', query, { enabled: isRecurring })
  const paid = { ...query, metric: 'revenue' as const }
  const revenue = useStats('timeseries', paid, {
    enabled: course === 'revenue',
  })
  const wait = <div className={isRecurring ? css.waitLong : css.wait} />
  const shown = course === 'revenue' ? revenue : movements
  return (
    <div className={css.chart}>
      <GroupMenu group={shown.data?.group} onGroup={next => change({ group: next }, { replace: true })} />
      {course === 'revenue' ? (
        <Answer read={revenue} placeholder={wait}>
          {({ values, previous, ...rest }) => (
            <CourseChart
              course={course}
              {...rest}
              values={values}
              previous={previous}
              movements={movements.data}
            />
          )}
        </Answer>
      ) : (
        <Answer read={movements} placeholder={wait}>
          {data => (
            <CourseChart
              course={course}
              {...data}
              values={valuesOf(data, course)}
              previous={valuesOf(data.previous, course)}
              movements={data}
            />
          )}
        </Answer>
      )}
    </div>
  )
}

function valuesOf(series: Movements['previous'], course: Course): number[] {
  if (course === 'mrr') return series.mrr
  if (course === 'churned_mrr') return series.churn
  return series.mrr.map((_, index) => KINDS.reduce((sum, { kind }) => sum + series[kind][index]!, 0))
}

interface CourseProps {
  course: Course
  labels: readonly string[]
  values: readonly number[]
  previous: readonly number[]
  previous_labels?: readonly string[] | undefined
  group: Movements['group']
  movements: Movements | undefined
}

function CourseChart({ course, labels, values, previous, previous_labels, group, movements }: CourseProps) {
  const { money: text, common } = useText()
  const format = useFormat()
  const { period } = useQuestion()
  const write = course === 'mrr' || course === 'revenue' ? format.money : format.signedMoney
  const lines: LineSeries[] = [
    {
      name: course === 'mrr' ? text.lists.mrr : text.figures[course],
      values,
      tone: 'money',
      format: write,
      ...drawnPart(labels, period.range),
    },
  ]
  if (period.compare !== 'none') {
    lines.push({
      name: common.previous,
      values: previous,
      tone: 'neutral',
      style: 'dashed',
      format: write,
      ...(previous_labels && { labels: previous_labels }),
    })
  }
  // Series of other buckets belong to an earlier question.
  const isSame = movements?.labels.length === labels.length && movements.labels[0] === labels[0]
  const bars: Series[] | undefined = isSame
    ? KINDS.map(({ kind, tone }) => ({
        name: text.kinds[kind],
        values: movements[kind],
        tone,
        format: format.signedMoney,
      }))
    : undefined
  return (
    <>
      <TimeChart
        title={text.courses[course]}
        labels={labels}
        group={group}
        lines={lines}
        {...(bars && { bars })}
      />
      {bars && <Legend series={bars} />}
      {period.range === 'all' && labels[0] !== undefined && (
        <p className={css.since}>{text.allSince(format.bucket(labels[0], group))}</p>
      )}
    </>
  )
}
