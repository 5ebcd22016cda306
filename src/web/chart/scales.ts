import { max, min, nice, ticks } from 'd3-array'
import type { LineSeries, Series } from './series.ts'

export interface Frame {
  left: number
  right: number
  top: number
  bottom: number
}

/** Room beside the buckets; at the left stand the numbers of the scale. */
const LEFT = 56
/** Between a number of the scale and the lines, and beside it. */
export const GAP = 10
export const RIGHT = 4

/** Vertical scale of lines: from 0, or from below it where values are negative. */
export interface Scale {
  y(value: number): number
  ticks: number[]
}

/** About as many as a reader takes in at a glance. */
const TICKS = 3

/** Returns the horizontal middle of a bucket. */
export function bucketX(frame: Frame, buckets: number): (index: number) => number {
  const width = frame.right - frame.left
  return index => frame.left + (width * (index + 0.5)) / Math.max(1, buckets)
}

export function lineScale(lines: readonly LineSeries[], frame: Frame): Scale {
  const values = lines.flatMap(({ values, drawn }) => values.slice(0, drawn))
  const lowest = Math.min(0, min(values) ?? 0)
  const highest = Math.max(max(values) ?? 0, lowest === 0 ? 1 : 0)
  const [low, high] = nice(lowest, highest, TICKS)
  // Half a visitor is no mark of a scale.
  const isWhole = values.every(value => Number.isNaN(value) || Number.isInteger(value))
  const marks = ticks(low, high, TICKS).filter(mark => !isWhole || Number.isInteger(mark))
  const span = high - low || 1
  return {
    ticks: marks,
    y: value => frame.bottom - ((value - low) / span) * (frame.bottom - frame.top),
  }
}

/**
 * Returns the room that the numbers of the scale need, so that none is cut.
 * @param widthOf pixels of a text as the chart draws it
 */
export function axisRoom(lines: readonly LineSeries[], widthOf: (text: string) => number): number {
  const [first] = lines
  if (!first) return LEFT
  const { ticks: marks } = lineScale(lines, { left: 0, right: 0, top: 0, bottom: 1 })
  return Math.max(LEFT, ...marks.map(mark => Math.ceil(widthOf(first.format(mark))) + 2 * GAP))
}

/** Sums of what is above and below zero in each bucket. */
export function stackRange(stacks: readonly Series[]): { low: number; high: number } {
  const buckets = stacks[0]?.values.length ?? 0
  let [low, high] = [0, 0]
  for (let index = 0; index < buckets; index += 1) {
    const values = stacks.map(({ values }) => values[index] ?? 0)
    high = Math.max(
      high,
      values.reduce((sum, value) => sum + Math.max(0, value), 0),
    )
    low = Math.min(
      low,
      values.reduce((sum, value) => sum + Math.min(0, value), 0),
    )
  }
  return { low, high }
}

/** Returns which labels are shown, so that each has `room` pixels. */
export function shownLabels(count: number, width: number, room: number): number[] {
  const step = Math.max(1, Math.ceil((count * room) / Math.max(1, width)))
  return Array.from({ length: count }, (_, index) => index).filter(index => index % step === 0)
}
