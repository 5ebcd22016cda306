import { compareMoments, endOfUnit, type Moments, orderMoments } from './moments.ts'

/** How moments follow each other. */
export interface ChainRules {
  steps: number
  windowMs: number
  isStrict: boolean
}

/** The chain of each visitor or session that has one, in columns. */
export interface Chains {
  size: number
  lengths: Uint8Array
  /** Index of the value of the dimension. */
  values: Uint32Array
  /** Milliseconds from the moment before, `steps - 1` for each chain; only the first `length - 1` are set. */
  gaps: Float64Array
}

/**
 * Returns the chains of all units; of the units of one owner, only one.
 * Linear in the number of moments: tables of the next moment of each step are made from the end of a unit.
 * @see docs/metrics.md "Chain"
 */
export function findChains(moments: Moments, rules: ChainRules): Chains {
  const order = orderMoments(moments)
  const size = countCounted(moments, order)
  const chains: Chains = {
    size: 0,
    lengths: new Uint8Array(size),
    values: new Uint32Array(size),
    gaps: new Float64Array(size * (rules.steps - 1)),
  }
  const search = new ChainSearch(moments, rules)
  let best: Best | undefined
  for (let first = 0; first < order.length; ) {
    const end = endOfUnit(moments, order, first)
    const found = search.longestOf(order.subarray(first, end))
    const isSame = best && isSameOwner(moments, best.chain[0]!, order[first]!)
    if (best && !isSame) add(chains, best, moments, rules)
    if (!isSame) best = undefined
    if (found.length > 0 && (!best || isBetter(moments, found, best.chain))) best = { chain: found }
    first = end
  }
  if (best) add(chains, best, moments, rules)
  return chains
}

interface Best {
  /** Indices of its moments. */
  chain: number[]
}

const isSameOwner = ({ owners }: Moments, a: number, b: number) =>
  owners.length > 0 && owners[a] === owners[b]

function countCounted({ units, owners }: Moments, order: Uint32Array): number {
  const keys = owners.length > 0 ? owners : units
  let count = 0
  for (let place = 0; place < order.length; place++) {
    if (place === 0 || keys[order[place]!] !== keys[order[place - 1]!]) count++
  }
  return count
}

const isBetter = (moments: Moments, chain: number[], than: number[]) =>
  chain.length > than.length ||
  (chain.length === than.length && compareMoments(moments, chain[0]!, than[0]!) < 0)

function add(chains: Chains, { chain }: Best, { values, times }: Moments, { steps }: ChainRules): void {
  const place = chains.size++
  chains.lengths[place] = chain.length
  chains.values[place] = values[chain[0]!]!
  for (let step = 1; step < chain.length; step++) {
    chains.gaps[place * (steps - 1) + step - 1] = times[chain[step]!]! - times[chain[step - 1]!]!
  }
}

const NONE = -1

/** Finds the chain of one unit after the other; the tables are used again. */
class ChainSearch {
  readonly #moments: Moments
  readonly #rules: ChainRules
  /** For each place of a unit and step, the place of the moment that would follow. */
  #next = new Int32Array()

  constructor(moments: Moments, rules: ChainRules) {
    this.#moments = moments
    this.#rules = rules
  }

  /** Returns the indices of the chain's moments; none when the unit has no chain. */
  longestOf(unit: Uint32Array): number[] {
    const { steps: met, times } = this.#moments
    const { steps, windowMs } = this.#rules
    let longest: number[] = []
    let hasTables = false
    for (let start = 0; start < unit.length; start++) {
      const first = unit[start]!
      if ((met[first]! & 1) === 0) continue
      if (!hasTables) this.#fillTables(unit)
      hasTables = true
      const chain = [first]
      for (let place = start, step = 1; step < steps; step++) {
        place = this.#next[place * steps + step]!
        if (place === NONE || times[unit[place]!]! - times[first]! > windowMs) break
        chain.push(unit[place]!)
      }
      if (chain.length > longest.length) longest = chain
      if (longest.length === steps) break
    }
    return longest
  }

  #fillTables(unit: Uint32Array): void {
    const { steps: met, isSilent } = this.#moments
    const { steps, isStrict } = this.#rules
    if (this.#next.length < unit.length * steps) this.#next = new Int32Array(2 * unit.length * steps)
    const next = this.#next
    for (let place = unit.length - 1; place >= 0; place--) {
      const isLast = place === unit.length - 1
      const after = isLast ? 0 : unit[place + 1]!
      for (let step = 1; step < steps; step++) {
        if (isLast) next[place * steps + step] = NONE
        else if (met[after]! & (1 << step)) next[place * steps + step] = place + 1
        else if (isStrict && !isSilent[after]) next[place * steps + step] = NONE
        else next[place * steps + step] = next[(place + 1) * steps + step]!
      }
    }
  }
}
