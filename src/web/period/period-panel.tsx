import { Suspense, useState } from 'react'
import { Button } from '../parts/form/button.tsx'
import { CheckField } from '../parts/form/field.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { type Compare, type Period, PRESET_NAMES, PRESETS } from '../state/period.ts'
import { useQuestion } from '../state/site.tsx'
import { useText } from '../text/text.tsx'
import css from './period.module.css'

const DayRange = lazyPart(() => import('./day-range.tsx'))

const COMPARISONS: readonly Compare[] = ['previous', 'previous_year', 'none']

/** The panel of the period: presets with their keys, days of one's own, and the comparison. */
export default function PeriodPanel({ onClose }: { onClose(): void }) {
  const { period: text } = useText()
  const { period, setPeriod } = useQuestion()
  const [choosing, setChoosing] = useState<'range' | 'compare'>()
  const choose = (next: Period) => {
    setPeriod(next)
    onClose()
  }
  if (choosing) {
    const isRange = choosing === 'range'
    return (
      <div className={css.panel}>
        <Suspense fallback={<div className={css.wait} />}>
          <DayRange
            from={isRange ? rangeOf(period)?.from : period.compareFrom}
            to={isRange ? rangeOf(period)?.to : period.compareTo}
            onChoose={(from, to) =>
              choose(
                isRange
                  ? { ...period, range: { from, to } }
                  : { ...period, compare: 'custom', compareFrom: from, compareTo: to },
              )
            }
          />
        </Suspense>
      </div>
    )
  }
  return (
    <div className={css.panel}>
      <ul className={css.presets}>
        {PRESET_NAMES.map(name => (
          <li key={name}>
            <Choice
              isChosen={period.range === name}
              label={text.presets[name]}
              shortcut={PRESETS[name]}
              onChoose={() => choose({ ...period, range: name })}
            />
          </li>
        ))}
        <li>
          <Choice
            isChosen={typeof period.range !== 'string'}
            label={text.custom}
            onChoose={() => setChoosing('range')}
          />
        </li>
      </ul>
      <section className={css.compare} aria-label={text.compare}>
        <h3 className={css.title}>{text.compare}</h3>
        {COMPARISONS.map(compare => (
          <Choice
            key={compare}
            isChosen={period.compare === compare}
            label={text.comparisons[compare]}
            onChoose={() => choose({ ...period, compare })}
          />
        ))}
        <Choice
          isChosen={period.compare === 'custom'}
          label={text.comparisons.custom}
          onChoose={() => setChoosing('compare')}
        />
        {(period.compare === 'previous' || period.compare === 'previous_year') && (
          <div className={css.weekday}>
            <CheckField
              label={text.matchWeekday}
              checked={period.matchWeekday}
              onChange={event => setPeriod({ ...period, matchWeekday: event.target.checked })}
            />
          </div>
        )}
      </section>
    </div>
  )
}

const rangeOf = ({ range }: Period) => (typeof range === 'string' ? undefined : range)

interface ChoiceProps {
  label: string
  isChosen: boolean
  shortcut?: string
  onChoose(): void
}

function Choice({ label, isChosen, shortcut, onChoose }: ChoiceProps) {
  return (
    <Button kind="quiet" className={css.choice} aria-pressed={isChosen} onClick={onChoose}>
      <span>{label}</span>
      {shortcut && <kbd className={css.key}>{shortcut}</kbd>}
    </Button>
  )
}
