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
  const { size, lengths, values } = chains
  const chosen = Array.isArray(rows) ? idsOf(moments.texts, rows) : mostFrequent(chains, moments.texts, rows)
  const started = new Set(values.subarray(0, size))
  const everything = Uint32Array.from(lengths.subarray(0, size), (_, index) => index)
  return {
    steps: countSteps(chains, everything, rules),
    rows: chosen.map(({ value, id }) => ({
      value,
      steps: countSteps(
        chains,
        everything.filter(index => values[index] === id),
        rules,
      ),
    })),
    values: started.size,
  }
}

interface ChosenValue {
  value: string
  /** −1: it does not occur. */
  id: number
}

const idsOf = (texts: string[], wanted: string[]): ChosenValue[] =>
  wanted.map(value => ({ value, id: texts.indexOf(value) }))

function mostFrequent({ size, values }: Chains, texts: string[], most: number): ChosenValue[] {
  const counts = new Uint32Array(texts.length)
  for (let index = 0; index < size; index++) counts[values[index]!]!++
  return texts
    .map((value, id) => ({ value, id }))
    .filter(({ id }) => counts[id]! > 0)
    .sort((a, b) => counts[b.id]! - counts[a.id]! || a.id - b.id)
    .slice(0, most)
}

function countSteps({ lengths, gaps }: Chains, members: Uint32Array, { steps }: ChainRules): StepCount[] {
  return Array.from({ length: steps }, (_, step) => {
    const reached = members.filter(index => lengths[index]! > step)
    if (step === 0 || reached.length === 0) return { count: reached.length, twiceMedianMs: null }
    const times = Float64Array.from(reached, index => gaps[index * (steps - 1) + step - 1]!)
    return { count: reached.length, twiceMedianMs: twiceMedian(times.sort()) }
  })
}

function twiceMedian(sorted: Float64Array): number {
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? 2 * sorted[middle]! : sorted[middle - 1]! + sorted[middle]!
}
