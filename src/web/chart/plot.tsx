import { area, line } from 'd3-shape'
import { useId } from 'react'
import { useFormat } from '../format/format.ts'
import css from './chart.module.css'
import { bucketX, type Frame, GAP, lineScale, RIGHT, shownLabels, stackRange } from './scales.ts'
import type { LineSeries, Series, TimeChartProps } from './series.ts'

interface Props extends TimeChartProps {
  width: number
  /** Room for the numbers of the scale. */
  left: number
  isPhone: boolean
  cursor: number | undefined
}

const TOP = 20
const AXIS = 24
const LANE = 52
/** Of stacked bars, which need more room. */
const STACK_LANE = 84

/** The picture of a chart: scale, lines, bars and marks. */
export function Plot({
  labels,
  group,
  lines,
  bars,
  marks = [],
  shaded,
  width,
  left,
  isPhone,
  cursor,
}: Props) {
  const format = useFormat()
  const room = bars ? 14 + (bars.length > 1 ? STACK_LANE : LANE) : 0
  const height = (isPhone ? 170 : 220) + room
  const frame: Frame = {
    left,
    right: width - RIGHT,
    top: TOP,
    bottom: height - AXIS - room,
  }
  const x = bucketX(frame, labels.length)
  const scale = lineScale(lines, frame)
  const lane: Frame = { ...frame, top: frame.bottom + 14, bottom: height - AXIS }
  const [first] = lines
  const isRight = (index: number) => index >= labels.length / 2
  return (
    <svg className={css.svg} width={width} height={height} aria-hidden="true">
      {shaded && <Hatching frame={frame} buckets={labels.length} {...shaded} />}
      {scale.ticks.map(value => (
        <g key={value}>
          <line
            className={css.grid}
            x1={frame.left}
            x2={frame.right}
            y1={scale.y(value)}
            y2={scale.y(value)}
          />
          <text x={frame.left - GAP} y={scale.y(value) + 4} textAnchor="end">
            {first?.format(value)}
          </text>
        </g>
      ))}
      {lines.map((series, index) => (
        <Line key={series.name} series={series} x={x} y={scale.y} hasArea={index === 0} />
      ))}
      {bars && <Bars bars={bars} x={x} lane={lane} labels={labels} cursor={cursor} />}
      {marks.map(({ index, text }) => (
        <g key={`${index} ${text}`}>
          <line className={css.mark} x1={x(index)} x2={x(index)} y1={TOP - 8} y2={height - AXIS} />
          <text
            className={css.note}
            x={x(index) + (isRight(index) ? -6 : 6)}
            y={TOP - 6}
            textAnchor={isRight(index) ? 'end' : 'start'}
          >
            {shorten(text, (width - left) / 2)}
          </text>
        </g>
      ))}
      {shownLabels(labels.length, width - left, group === 'month' ? 84 : 64).map(index => (
        <text key={labels[index]} x={x(index)} y={height - 6} textAnchor="middle">
          {format.axis(labels[index]!, group)}
        </text>
      ))}
      {cursor !== undefined && (
        <line className={css.cursor} x1={x(cursor)} x2={x(cursor)} y1={TOP - 8} y2={height - AXIS} />
      )}
      {cursor !== undefined &&
        lines.map(({ name, values, tone, drawn = values.length }) =>
          cursor < drawn && !Number.isNaN(values[cursor]) ? (
            <circle
              key={name}
              className={`${css.dot} ${css[tone]}`}
              cx={x(cursor)}
              cy={scale.y(values[cursor] ?? 0)}
              r={4}
            />
          ) : null,
        )}
    </svg>
  )
}

interface HatchingProps {
  frame: Frame
  buckets: number
  from: number
  to: number
}

function Hatching({ frame, buckets, from, to }: HatchingProps) {
  const id = useId()
  const width = (frame.right - frame.left) / Math.max(1, buckets)
  return (
    <>
      <pattern id={id} width={8} height={8} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line className={css.hatch} x1={0} x2={0} y1={0} y2={8} />
      </pattern>
      <rect
        data-shaded={`${from}-${to}`}
        x={frame.left + from * width}
        y={frame.top}
        width={(to - from + 1) * width}
        height={frame.bottom - frame.top}
        fill={`url(#${id})`}
      />
    </>
  )
}

/** Pixels of a letter, at most. */
const LETTER = 7

/** Cuts a note to half of the chart: those in the right half are written to the left. */
function shorten(text: string, room: number): string {
  const most = Math.floor(room / LETTER)
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text
}

const isThere = (value: number) => !Number.isNaN(value)

interface LineProps {
  series: LineSeries
  x(index: number): number
  y(value: number): number
  hasArea: boolean
}

function Line({ series, x, y, hasArea }: LineProps) {
  const { values, tone, style = 'solid', drawn, isOpen } = series
  const shown = [...values.slice(0, drawn)]
  const last = shown.length - 1
  const path = (from: number, to: number) =>
    line<number>(
      (_, index) => x(from + index),
      value => y(value),
    ).defined(isThere)(shown.slice(from, to + 1)) ?? undefined
  const wash =
    hasArea &&
    area<number>(
      (_, index) => x(index),
      () => y(0),
      value => y(value),
    ).defined(isThere)(shown)
  return (
    <>
      {wash && <path className={`${css.wash} ${css[tone]}`} d={wash} />}
      <path className={`${css.line} ${css[style]} ${css[tone]}`} d={path(0, isOpen ? last - 1 : last)} />
      {isOpen && last > 0 && (
        <path className={`${css.line} ${css.open} ${css[tone]}`} d={path(last - 1, last)} />
      )}
      {shown.length === 1 && (
        <circle className={`${css.point} ${css[tone]}`} cx={x(0)} cy={y(shown[0]!)} r={3} />
      )}
    </>
  )
}

interface BarsProps {
  labels: readonly string[]
  bars: readonly Series[]
  x(index: number): number
  lane: Frame
  cursor: number | undefined
}

function Bars({ labels, bars, x, lane, cursor }: BarsProps) {
  const buckets = labels.length
  const { low, high } = stackRange(bars)
  const span = high - low || 1
  const zero = lane.bottom - ((0 - low) / span) * (lane.bottom - lane.top)
  const toPixels = (value: number) => (value / span) * (lane.bottom - lane.top)
  const width = Math.max(
    1,
    Math.min(bars.length > 1 ? 30 : 18, ((lane.right - lane.left) / Math.max(1, buckets)) * 0.6),
  )
  return (
    <>
      <line className={css.grid} x1={lane.left} x2={lane.right} y1={zero} y2={zero} />
      {Array.from({ length: buckets }, (_, index) => {
        let [up, down] = [zero, zero]
        return bars.map(({ name, values, tone }) => {
          const size = toPixels(values[index] ?? 0)
          if (size === 0) return null
          // A bar of a small amount is still seen.
          const height = Math.max(1, Math.abs(size))
          const top = size > 0 ? up - height : down
          if (size > 0) up -= height + (bars.length > 1 ? 1 : 0)
          else down += height + (bars.length > 1 ? 1 : 0)
          return (
            <rect
              key={`${name} ${labels[index]}`}
              className={`${css.bar} ${css[tone]} ${bars.length > 1 || cursor === index ? css.here : ''}`}
              x={x(index) - width / 2}
              y={top}
              width={width}
              height={height}
              rx={Math.min(2.5, width / 3)}
            />
          )
        })
      })}
    </>
  )
}
