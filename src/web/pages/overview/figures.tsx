import { Suspense, useState } from 'react'
import { useFormat } from '../../format/format.ts'
import { ExplainButton } from '../../parts/explain/explain-button.tsx'
import { Figure, FigureGrid, FigurePanel } from '../../parts/figures.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { Answer, Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { ChartPanel } from './chart-panel.tsx'
import { ImportedMark } from './imported.tsx'
import {
  chosenMetric,
  isMoneyMetric,
  METRICS,
  type Metric,
  type Overview,
  useOverview,
  valueText,
} from './metrics.ts'
import css from './overview.module.css'

const NoteDialog = lazyPart(() => import('../../chart/note-dialog.tsx'))

/** The figures of the period: the legend of the chart below, and its switch. */
export function Figures() {
  const { period } = useQuestion()
  const { params } = useAddress()
  const site = useSite()
  const [noteAt, setNoteAt] = useState<string>()
  const read = useOverview()
  const metric = chosenMetric(params, read.data)
  return (
    <FigurePanel
      figures={
        <Answer
          read={read}
          placeholder={
            <div className={css.figuresWait}>
              <Skeleton rows={2} />
            </div>
          }
        >
          {overview => (
            <FigureGrid>
              {METRICS.filter(name => overview[name] !== undefined).map(name => (
                <MetricFigure
                  key={name}
                  name={name}
                  overview={overview}
                  isChosen={name === metric}
                  isCompared={period.compare !== 'none'}
                />
              ))}
            </FigureGrid>
          )}
        </Answer>
      }
    >
      <ImportedMark imported={read.data?.imported} />
      <ChartPanel
        metric={metric}
        hasRevenue={read.data?.revenue !== undefined && !isMoneyMetric(metric)}
        onNote={site.mayChange ? setNoteAt : undefined}
      />
      <Suspense>
        {noteAt !== undefined && <NoteDialog day={noteAt} onClose={() => setNoteAt(undefined)} />}
      </Suspense>
    </FigurePanel>
  )
}

const COUNTS: readonly Metric[] = ['visitors', 'pageviews']

interface FigureProps {
  name: Metric
  overview: Overview
  isChosen: boolean
  isCompared: boolean
}

function MetricFigure({ name, overview, isChosen, isCompared }: FigureProps) {
  const { common, explain, overview: text } = useText()
  const format = useFormat()
  const { change } = useAddress()
  const { input, compare } = useQuestion()
  const { imported } = overview
  const isSum = name === 'visitors' && imported?.visitors === 'sum_of_days'
  // What is explained are the site's own numbers.
  const isOwn = isMoneyMetric(name) || !(imported?.used || imported?.previous?.used)
  const now = overview[name] ?? 0
  const before = overview.previous[name] ?? 0
  // Averages and amounts rest on the visits of the period.
  const base = COUNTS.includes(name) ? before : overview.previous.sessions
  const { short, exact } = valueText(format, name)
  const title = `${common.previous}: ${exact(before)}`
  return (
    <Figure
      name={common.metrics[name]}
      {...(isSum && { hint: text.imported.sumOfDays })}
      shown={short(now)}
      exact={exact(now)}
      isMoney={isMoneyMetric(name)}
      compared={isCompared ? { now, before, base, isInverse: name === 'bounce_rate', title } : undefined}
      isChosen={isChosen}
      explain={
        isOwn && (
          <ExplainButton
            of={common.metrics[name]}
            ask={{ ...input, ...compare }}
            numbers={[{ metric: name, name: common.metrics[name], write: exact, rule: explain.rules[name] }]}
          />
        )
      }
      // The conversion rate of a filter has no series.
      onChoose={
        name === 'conversion_rate'
          ? undefined
          : () => change({ metric: name === 'visitors' ? null : name }, { replace: true })
      }
    />
  )
}
