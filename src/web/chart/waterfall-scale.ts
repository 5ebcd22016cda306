/** A change from one sum to the next, or with `isTotal` a sum itself. */
export interface WaterfallStep {
  name: string
  from: number
  to: number
  isTotal?: boolean
  /** A further number, such as of customers. */
  note?: string
}

/** Share of the picture that changes shall fill at least. */
const LEAST_SHARE = 0.3

/**
 * Returns where the bars begin and end. They begin at 0, unless the changes were then too small to see: the bars of sums are then cut,
 * at a round number below all of them.
 */
export function cutOf(steps: readonly WaterfallStep[]): { low: number; high: number } {
  const levels = steps.flatMap(({ from, to, isTotal }) => (isTotal ? [to] : [from, to]))
  const [least, most] = [Math.min(...levels), Math.max(...levels)]
  const high = Math.max(most, 0)
  if (least <= 0) return { low: Math.min(least, 0), high }
  const spread = most - least
  if (spread === 0 || spread >= LEAST_SHARE * most) return { low: 0, high }
  const wanted = least - spread / 2
  const unit = 10 ** Math.floor(Math.log10(Math.max(spread, 1)))
  return { low: Math.max(0, Math.floor(wanted / unit) * unit), high }
}
