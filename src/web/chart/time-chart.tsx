import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react'
import { useText } from '../text/text.tsx'
import css from './chart.module.css'
import { Plot } from './plot.tsx'
import { Readout } from './readout.tsx'
import { axisRoom, RIGHT } from './scales.ts'
import type { TimeChartProps } from './series.ts'
import { SeriesTable } from './series-table.tsx'
import { textWidth, useWidth } from './widths.ts'

const PHONE = 560

/** Lines over time, with bars on the same time axis. A pointer or the arrow keys read each bucket; screen readers have a table. */
export function TimeChart(props: TimeChartProps) {
  const { title, labels, lines, onChoose } = props
  const { common } = useText()
  const help = useId()
  const [ref, width] = useWidth<HTMLDivElement>()
  const [cursor, setCursor] = useState<number>()
  const last = labels.length - 1
  const at = cursor === undefined ? undefined : Math.min(cursor, last)

  const room = axisRoom(lines, textWidth)
  const move = (event: PointerEvent) => {
    const { left, width: all } = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - left - room) / Math.max(1, all - RIGHT - room)
    setCursor(Math.max(0, Math.min(last, Math.floor(share * labels.length))))
  }
  const press = (event: KeyboardEvent) => {
    const next = keyMove(event.key, at ?? last + 1, last)
    if (next !== undefined) {
      event.preventDefault()
      setCursor(next)
    } else if (event.key === 'Enter' && at !== undefined) onChoose?.(at)
    else if (event.key === 'Escape') setCursor(undefined)
  }
  return (
    <figure className={css.figure} aria-label={title}>
      {/* biome-ignore lint/a11y/useSemanticElements: it is read with arrow keys, and has no value to set */}
      <div
        ref={ref}
        className={css.chart}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move its cursor
        tabIndex={0}
        aria-label={title}
        aria-describedby={help}
        onPointerMove={move}
        onPointerDown={move}
        onPointerLeave={() => setCursor(undefined)}
        onBlur={() => setCursor(undefined)}
        onKeyDown={press}
        onClick={() => at !== undefined && onChoose?.(at)}
      >
        {width > 0 && <Plot {...props} width={width} left={room} isPhone={width < PHONE} cursor={at} />}
        {at !== undefined && width > 0 && <Readout {...props} width={width} left={room} index={at} />}
      </div>
      <p id={help} className="only-read">
        {common.chartHelp}
      </p>
      <SeriesTable {...props} />
    </figure>
  )
}

function keyMove(key: string, at: number, last: number): number | undefined {
  if (key === 'ArrowLeft') return Math.max(0, at - 1)
  if (key === 'ArrowRight') return at > last ? 0 : Math.min(last, at + 1)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}
