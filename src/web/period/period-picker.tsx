import { Suspense } from 'react'
import { useFormat } from '../format/format.ts'
import { IconButton } from '../parts/form/button.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { Popover } from '../parts/overlay/popover.tsx'
import { useQuestion } from '../state/site.tsx'
import { useText } from '../text/text.tsx'
import css from './period.module.css'
import { moved } from './shift.ts'

const PeriodPanel = lazyPart(() => import('./period-panel.tsx'))

/** Chooses the period of the page, and what it is compared with. */
export function PeriodPicker() {
  const { period: text } = useText()
  const format = useFormat()
  const { period, setPeriod } = useQuestion()
  const { range, compare, compareFrom, compareTo } = period
  const [earlier, later] = [moved(period, -1), moved(period, 1)]
  const versus =
    compare === 'none'
      ? undefined
      : compare === 'custom'
        ? text.versus.custom(format.days(compareFrom!, compareTo!))
        : text.versus[compare]
  return (
    <div className={css.picker}>
      {earlier && (
        <span className={css.steps}>
          <IconButton label={text.earlier} onClick={() => setPeriod(earlier)}>
            ‹
          </IconButton>
          <IconButton label={text.later} onClick={() => setPeriod(later!)}>
            ›
          </IconButton>
        </span>
      )}
      <Popover
        label={text.label}
        align="end"
        trigger={
          <>
            {typeof range === 'string' ? text.presets[range] : format.days(range.from, range.to)}
            {versus && <small className={css.versus}>{versus}</small>}
            <span className={css.chevron} aria-hidden="true">
              ▾
            </span>
          </>
        }
      >
        {close => (
          <Suspense>
            <PeriodPanel onClose={close} />
          </Suspense>
        )}
      </Popover>
    </div>
  )
}
