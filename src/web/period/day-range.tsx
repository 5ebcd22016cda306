import { useState } from 'react'
import { type DateRange, DayPicker } from 'react-day-picker'
import { de, enGB } from 'react-day-picker/locale'
import { Button } from '../parts/form/button.tsx'
import { useLanguage, useText } from '../text/text.tsx'
import css from './period.module.css'

interface Props {
  /** `YYYY-MM-DD` */
  from: string | undefined
  to: string | undefined
  onChoose(from: string, to: string): void
}

/** Locales of the calendar; any other language has its weeks from Monday and English names. */
const LOCALES: Record<string, typeof enGB> = { de, en: enGB }

/** A calendar for a first and a last day. */
export default function DayRange({ from, to, onChoose }: Props) {
  const { actions } = useText().common
  const { code } = useLanguage()
  const [range, setRange] = useState<DateRange | undefined>(
    from && to ? { from: localDay(from), to: localDay(to) } : undefined,
  )
  return (
    <div className={css.box}>
      <DayPicker
        mode="range"
        locale={LOCALES[code] ?? enGB}
        defaultMonth={range?.from ?? new Date()}
        selected={range}
        onSelect={setRange}
        showOutsideDays
        autoFocus
        classNames={classNames}
      />
      <div className={css.buttons}>
        <Button
          kind="main"
          disabled={!range?.from}
          onClick={() => range?.from && onChoose(textOf(range.from), textOf(range.to ?? range.from))}
        >
          {actions.confirm}
        </Button>
      </div>
    </div>
  )
}

const classNames = {
  months: css.months,
  nav: css.nav,
  button_previous: css.step,
  button_next: css.step,
  month_caption: css.caption,
  month_grid: css.grid,
  weekday: css.dayRangeWeekday,
  day: css.day,
  day_button: css.button,
  outside: css.outside,
  today: css.today,
  selected: css.selected,
  range_start: css.edge,
  range_end: css.edge,
}

/** The calendar knows only local times: the day is what counts. */
function localDay(text: string): Date {
  const [year, month, day] = text.split('-').map(Number)
  return new Date(year!, month! - 1, day!)
}

const textOf = (day: Date) =>
  [
    day.getFullYear(),
    String(day.getMonth() + 1).padStart(2, '0'),
    String(day.getDate()).padStart(2, '0'),
  ].join('-')
