import type { Period } from '../state/period.ts'

const DAY_MS = 86_400_000

/** Returns the period of as many days just before or after; nothing for a preset, which moves with today. */
export function moved(period: Period, steps: 1 | -1): Period | undefined {
  const { range } = period
  if (typeof range === 'string') return undefined
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)]
  const length = (to - from + DAY_MS) * steps
  return { ...period, range: { from: dayOf(from + length), to: dayOf(to + length) } }
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
