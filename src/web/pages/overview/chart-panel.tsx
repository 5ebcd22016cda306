import { useMemo } from 'react'
import { api, type Outputs, TOGETHER } from '../../api/client.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { useStats } from '../../api/use-stats.ts'
import { ChartButton, GroupMenu } from '../../chart/chart-tools.tsx'
import { drawnPart, type LineSeries, type Mark, type Series } from '../../chart/series.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import type { Group } from '../../format/dates.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { type Question, useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { shadedPart } from './imported.tsx'
import { isMoneyMetric, type SeriesMetric, valueText } from './metrics.ts'
import css from './overview.module.css'

type Timeseries = Outputs['stats']['timeseries']

interface Props {
  metric: SeriesMetric
  /** Whether revenue stands below the metric. */
  hasRevenue: boolean
  /** Adds a note to a day. */
  onNote: ((day: string) => void) | undefined
}

/** The course of one metric, with the compared period dashed, revenue as bars below, and notes. */
export function ChartPanel({ metric, hasRevenue, onNote }: Props) {
  const { overview: text, common } = useText()
  const { params, change } = useAddress()
  const site = useSite()
  const question = useQuestion()
  const { input, compare, totals } = question
  const group = (params.get('group') ?? undefined) as Group | undefined
  const query = { ...input, ...compare, ...totals, metric, ...(group && { group }) }
  const main = useStats('timeseries', query)
  const money = { ...query, metric: 'revenue' as const }
  const revenue = useStats('timeseries', money, {
    // Asked at the same time as the figures, which say whether there is revenue.
    enabled: !isMoneyMetric(metric) && site.can('revenue'),
  })
  const notes = useNotes(question)
  return (
    <div className={css.chart}>
      <GroupMenu group={main.data?.group} onGroup={next => change({ group: next }, { replace: true })}>
        {onNote && <ChartButton onClick={() => onNote(today())}>{text.annotation.add}</ChartButton>}
      </GroupMenu>
      <Answer read={main} placeholder={<div className={css.wait} />}>
        {series => (
          <Chart
            title={text.chart(common.metrics[metric])}
            {...{ metric, series, question, notes }}
            revenue={hasRevenue && revenue.data?.labels.length === series.labels.length ? revenue : undefined}
          />
        )}
      </Answer>
    </div>
  )
}

interface ChartProps {
  title: string
  metric: SeriesMetric
  series: Timeseries
  revenue: Read<Timeseries> | undefined
  question: Question
  notes: readonly Note[] | undefined
}

function Chart({ title, metric, series, revenue, question, notes }: ChartProps) {
  const { common, overview: text } = useText()
  const format = useFormat()
  const { period, setPeriod } = question
  const { labels, values, previous, previous_labels: previousLabels, group } = series
  const { short, exact } = valueText(format, metric)
  const part = drawnPart(labels, period.range)
  const tone = isMoneyMetric(metric) ? 'money' : 'traffic'
  const lines: LineSeries[] = [{ name: common.metrics[metric], values, tone, format: short, exact, ...part }]
  if (period.compare !== 'none') {
    lines.push({
      name: common.previous,
      // Where the compared period has no bucket any more, there is a gap, not a zero.
      values: previousLabels
        ? previous.map((value, index) => (index < previousLabels.length ? value : Number.NaN))
        : previous,
      tone: 'neutral',
      style: 'dashed',
      format: short,
      exact,
      ...(previousLabels && { labels: previousLabels }),
    })
  }
  const bars: Series[] | undefined = revenue?.data && [
    {
      name: text.revenueBars,
      values: revenue.data.values,
      tone: 'money',
      format: format.money,
      exact: value => format.exactMoney(value),
    },
  ]
  const marks = useMemo(() => marksOf(notes ?? [], labels), [notes, labels])
  const shaded = shadedPart(labels, series.imported)
  const open = (index: number) => {
    if (group === 'hour') return
    const [from, to] = [labels[index]!.slice(0, 10), dayBefore(labels[index + 1])]
    setPeriod({ ...period, range: { from, to: to ?? lastDay(question, series) } })
  }
  return (
    <TimeChart
      {...{ title, labels, group, lines, marks }}
      {...(bars && { bars })}
      {...(shaded && { shaded })}
      {...(group !== 'hour' && { onChoose: open })}
    />
  )
}

const today = () => new Date().toISOString().slice(0, 10)

function dayBefore(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  return new Date(Date.parse(label.slice(0, 10)) - 86_400_000).toISOString().slice(0, 10)
}

/** The last bucket ends with the range, which a preset ends today. */
function lastDay({ period: { range } }: Question, { labels, group }: Timeseries): string {
  if (typeof range !== 'string') return range.to
  return group === 'day' ? labels.at(-1)!.slice(0, 10) : today()
}

const MOST_NOTES = 100

type Note = Outputs['annotations']['list']['data'][number]

/** Notes of the period; readers of a share see them, too. */
function useNotes({ input }: Question) {
  const { id } = useSite()
  const { siteKey, range, from, to } = input
  const days = from === undefined ? { range } : { from, to }
  const query = { siteKey, ...days, per_page: MOST_NOTES }
  return useRead(['annotations', id, query], signal =>
    api.annotations.list.query(query, { signal, context: TOGETHER }),
  ).data?.data
}

/** Places each note at the last bucket that does not begin after it. */
function marksOf(notes: readonly Note[], labels: readonly string[]): Mark[] {
  return notes.map(({ text, starts_at: start }) => {
    const index = labels.findLastIndex(label =>
      start.length === 10 ? label.slice(0, 10) <= start : new Date(label) <= new Date(start),
    )
    return { index: Math.max(0, index), text }
  })
}
