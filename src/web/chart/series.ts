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
