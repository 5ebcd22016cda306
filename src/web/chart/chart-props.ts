import type { Group } from '../format/dates.ts'
import type { LineSeries, Mark, Series } from './series.ts'

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
