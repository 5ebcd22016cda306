import { lazy, Suspense, useState } from 'react'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Change } from '../../parts/figures/change.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { ChartPanel } from './chart-panel.tsx'
import css from './figures.module.css'
import { chosenMetric, isMoneyMetric, METRICS, type Metric, type Overview, valueText } from './metrics.ts'
import { useOverview } from './use-overview.ts'

const NoteDialog = lazy(() => import('./note-dialog.tsx'))

/** The figures of the period: the legend of the chart below, and its switch. */
export function Figures() {
  const { period } = useQuestion()
  const { params } = useAddress()
  const site = useSite()
  const [noteAt, setNoteAt] = useState<string>()
  const read = useOverview()
  const metric = chosenMetric(params, read.data)
  return (
    <section className={css.panel}>
      <Answer
        read={read}
        placeholder={
          <div className={css.wait}>
            <Skeleton rows={2} />
          </div>
        }
      >
        {overview => (
          <div className={css.figures}>
            {METRICS.filter(name => overview[name] !== undefined).map(name => (
              <Figure
                key={name}
                name={name}
                overview={overview}
                isChosen={name === metric}
                isCompared={period.compare !== 'none'}
              />
            ))}
          </div>
        )}
      </Answer>
      <ChartPanel
        metric={metric}
        hasRevenue={read.data?.revenue !== undefined && !isMoneyMetric(metric)}
        onNote={site.mayChange ? setNoteAt : undefined}
      />
      <Suspense>
        {noteAt !== undefined && <NoteDialog day={noteAt} onClose={() => setNoteAt(undefined)} />}
      </Suspense>
    </section>
  )
}

interface FigureProps {
  name: Metric
  overview: Overview
  isChosen: boolean
  isCompared: boolean
}

function Figure({ name, overview, isChosen, isCompared }: FigureProps) {
  const { common } = useText()
  const format = useFormat()
  const { change } = useAddress()
  const now = overview[name] ?? 0
  const before = overview.previous[name] ?? 0
  const { short, exact } = valueText(format, name)
  const className = [css.figure, isMoneyMetric(name) && css.money].filter(Boolean).join(' ')
  const content = (
    <>
      <span className={css.name}>{common.metrics[name]}</span>
      <strong className={css.value} title={exact(now)}>
        {short(now)}
      </strong>
      {isCompared && (
        <small className={css.change} title={`${common.previous}: ${exact(before)}`}>
          <Change now={now} before={before} isInverse={name === 'bounce_rate'} />
        </small>
      )}
    </>
  )
  // The conversion rate of a filter has no series.
  if (name === 'conversion_rate') return <div className={className}>{content}</div>
  return (
    <button
      type="button"
      className={className}
      aria-pressed={isChosen}
      onClick={() => change({ metric: name === 'visitors' ? null : name }, { replace: true })}
    >
      {content}
    </button>
  )
}
