import { type MomentBlock, type Moments, readMoments } from '../moments/moments.ts'
import { type ChainRules, type Chains, findChains } from './chains.ts'

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

/** Inputs and outputs of the funnel tasks of the pattern threads. */
export interface FunnelTasks {
  /** Returns the units with a chain of two steps or more; the order is taken as loose. */
  listChained: { input: { blocks: MomentBlock[]; rules: ChainRules }; output: Float64Array }
  countChains: { input: CountInput; output: FunnelCounts }
}

interface CountInput {
  blocks: MomentBlock[]
  /** All pageviews and events of the units of `listChained`; only for the strict order. */
  hits: MomentBlock[]
  rules: ChainRules
  /** Values that get a row: as many as this, the most frequent ones, or exactly these. */
  rows: number | string[]
}

type TaskTable = {
  [Name in keyof FunnelTasks]: (input: FunnelTasks[Name]['input']) => FunnelTasks[Name]['output']
}

/** Tasks of a pattern thread, by name: they need no database, and the time they take does not hold up other reads. */
export const funnelTasks: TaskTable = {
  listChained({ blocks, rules }) {
    // Each unit by itself: in the strict order another one of its owner may have the longest chain.
    const moments = { ...readMoments(blocks), owners: new Uint32Array() }
    const { size, units, lengths } = findChains(moments, { ...rules, isStrict: false })
    return units.subarray(0, size).filter((_, index) => lengths[index]! > 1)
  },
  countChains: ({ blocks, hits, rules, rows }) => countMoments(readMoments(blocks, hits), rules, rows),
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
