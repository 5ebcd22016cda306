import type { Period } from '../state/period.ts'
import type { LineSeries } from './series.ts'

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
