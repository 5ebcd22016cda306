import { type ChainRules, type Chains, findChains } from './chains.ts'
import type { Moments } from './moments.ts'

/** Numbers of one step. */
export interface StepCount {
  /** Chains that reach it. */
  count: number
  /** Twice the median of the time from the step before, a whole number of milliseconds; null for the first step and without chains. */
  twiceMedianMs: number | null
}

export interface FunnelCounts {
  steps: StepCount[]
  /** Only with a dimension. */
  rows: { value: string; steps: StepCount[] }[]
  /** Number of values. */
  values: number
}

/**
 * Counts the chains of moments.
 * @param rows values that get a row: as many as this, the most frequent ones, or exactly these
 */
export function countMoments(moments: Moments, rules: ChainRules, rows: number | string[]): FunnelCounts {
  const chains = findChains(moments, rules)
  const { size, values } = chains
  const counts = new Uint32Array(moments.texts.length)
  for (let index = 0; index < size; index++) counts[values[index]!]! += 1
  const chosen = Array.isArray(rows) ? idsOf(moments.texts, rows) : mostFrequent(counts, moments.texts, rows)
  return {
    steps: countSteps(chains, rules),
    rows: chosen.map(({ value, id }) => ({ value, steps: countSteps(chains, rules, id) })),
    values: counts.reduce((sum, count) => sum + Math.min(count, 1), 0),
  }
}

interface ChosenValue {
  value: string
  /** −1: it does not occur. */
  id: number
}

const idsOf = (texts: string[], wanted: string[]): ChosenValue[] =>
  wanted.map(value => ({ value, id: texts.indexOf(value) }))

function mostFrequent(counts: Uint32Array, texts: string[], most: number): ChosenValue[] {
  return texts
    .map((value, id) => ({ value, id }))
    .filter(({ id }) => counts[id]! > 0)
    .sort((a, b) => counts[b.id]! - counts[a.id]! || a.id - b.id)
    .slice(0, most)
}

/** @param value only the chains of this one; undefined for all */
function countSteps(
  { size, lengths, values, gaps }: Chains,
  { steps }: ChainRules,
  value?: number,
): StepCount[] {
  return Array.from({ length: steps }, (_, step) => {
    const times = new Float64Array(size)
    let count = 0
    for (let index = 0; index < size; index++) {
      if (lengths[index]! <= step || (value !== undefined && values[index] !== value)) continue
      times[count++] = step === 0 ? 0 : gaps[index * (steps - 1) + step - 1]!
    }
    if (step === 0 || count === 0) return { count, twiceMedianMs: null }
    return { count, twiceMedianMs: twiceMedian(times.subarray(0, count).sort()) }
  })
}

function twiceMedian(sorted: Float64Array): number {
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? 2 * sorted[middle]! : sorted[middle - 1]! + sorted[middle]!
}
