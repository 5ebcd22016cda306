import type { Group } from '../format/dates.ts'
import type { Period } from '../state/period.ts'

/** What a mark is drawn in: the two inks, each also quiet, and a neutral scale. */
export type Tone = 'traffic' | 'money' | 'money-soft' | 'money-quiet' | 'neutral' | 'neutral-quiet'

/** One value for each bucket; NaN where there is none. */
export interface Series {
  name: string
  values: readonly number[]
  tone: Tone
  format(value: number): string
  /** With every digit, for the table of the chart. */
  exact?(value: number): string
}

export interface LineSeries extends Series {
  /** `dashed` for a compared period. */
  style?: 'solid' | 'dashed'
  /** Where each value begins, if that is not where the bucket of the chart begins. */
  labels?: readonly string[]
  /** Number of values from the left that are drawn; the rest lies in the future. */
  drawn?: number
  /** Whether the last value that is drawn can still grow: the line to it is dotted. */
  isOpen?: boolean
}

/** A note at a bucket. */
export interface Mark {
  index: number
  text: string
}

/** What a chart over time shows. */
export interface TimeChartProps {
  title: string
  /** Where each bucket begins. */
  labels: readonly string[]
  group: Group
  lines: readonly LineSeries[]
  /** Bars in a lane of their own below the lines, stacked; negative values hang down. */
  bars?: readonly Series[]
  marks?: readonly Mark[]
  /** Buckets, both included, whose numbers were counted elsewhere: they are hatched. */
  shaded?: { from: number; to: number }
  /** Opens a bucket. */
  onChoose?(index: number): void
}

/** Presets that are over. */
const OVER: readonly unknown[] = ['yesterday', 'last_month']

/** Returns how much of a series is there already: the rest lies in the future, and the bucket of now can still grow. */
export function drawnPart(
  labels: readonly string[],
  range: Period['range'],
): Required<Pick<LineSeries, 'drawn' | 'isOpen'>> {
  const drawn = labels.filter(label => new Date(label) <= new Date()).length
  return { drawn, isOpen: drawn > 0 && (drawn < labels.length || reachesNow(range)) }
}

const reachesNow = (range: Period['range']) =>
  typeof range === 'string' ? !OVER.includes(range) : range.to >= new Date().toISOString().slice(0, 10)
