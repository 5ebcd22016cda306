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
  const search = new ChainSearch(moments, order, rules)
  /** The best chain of an owner: indices of its moments. */
  const best = { length: 0, chain: new Uint32Array(rules.steps) }
  for (let first = 0; first < order.length; ) {
    const end = endOfUnit(moments, order, first)
    const isSame = best.length > 0 && isSameOwner(moments, best.chain[0]!, order[first]!)
    if (!isSame) {
      add(chains, best, moments, rules)
      best.length = 0
    }
    search.findLongest(first, end)
    if (search.length > 0 && (best.length === 0 || isBetter(moments, search, best))) {
      best.length = search.length
      best.chain.set(search.chain)
    }
    first = end
  }
  add(chains, best, moments, rules)
  return chains
}

/** The first `length` of the indices are its moments. */
interface Chain {
  length: number
  chain: Uint32Array
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

const isBetter = (moments: Moments, { length, chain }: Chain, than: Chain) =>
  length > than.length || (length === than.length && compareMoments(moments, chain[0]!, than.chain[0]!) < 0)

/** Adds a chain; one without moments is none. */
function add(
  chains: Chains,
  { length, chain }: Chain,
  { values, times }: Moments,
  { steps }: ChainRules,
): void {
  if (length === 0) return
  const place = chains.size++
  chains.lengths[place] = length
  chains.values[place] = values[chain[0]!]!
  for (let step = 1; step < length; step++) {
    chains.gaps[place * (steps - 1) + step - 1] = times[chain[step]!]! - times[chain[step - 1]!]!
  }
}

const NONE = -1

/** Finds the chain of one unit after the other; what it holds is used again. */
class ChainSearch implements Chain {
  /** Of the unit that was looked at last; 0 when it has no chain. */
  length = 0
  readonly chain: Uint32Array
  readonly #moments: Moments
  readonly #order: Uint32Array
  readonly #rules: ChainRules
  readonly #tried: Uint32Array
  /** For each place of a unit and step, the place of the moment that would follow. */
  #next = new Int32Array()

  constructor(moments: Moments, order: Uint32Array, rules: ChainRules) {
    this.#moments = moments
    this.#order = order
    this.#rules = rules
    this.chain = new Uint32Array(rules.steps)
    this.#tried = new Uint32Array(rules.steps)
  }

  /** Finds the longest chain of the unit whose moments are those of the order from `first` to `end`. */
  findLongest(first: number, end: number): void {
    const { steps: met, times } = this.#moments
    const { steps, windowMs } = this.#rules
    const order = this.#order
    const tried = this.#tried
    let hasTables = false
    this.length = 0
    for (let start = first; start < end && this.length < steps; start++) {
      if ((met[order[start]!]! & 1) === 0) continue
      if (!hasTables && end - first > 1) this.#fillTables(first, end)
      hasTables = true
      tried[0] = order[start]!
      let length = 1
      for (let place = start; length < steps && end - first > 1; length++) {
        place = this.#next[(place - first) * steps + length]!
        if (place === NONE || times[order[place]!]! - times[tried[0]!]! > windowMs) break
        tried[length] = order[place]!
      }
      if (length <= this.length) continue
      this.length = length
      this.chain.set(tried)
    }
  }

  #fillTables(first: number, end: number): void {
    const { steps: met, isSilent } = this.#moments
    const { steps, isStrict } = this.#rules
    const size = (end - first) * steps
    if (this.#next.length < size) this.#next = new Int32Array(2 * size)
    const next = this.#next
    for (let place = end - 1; place >= first; place--) {
      const row = (place - first) * steps
      const after = place === end - 1 ? undefined : this.#order[place + 1]!
      for (let step = 1; step < steps; step++) {
        if (after === undefined) next[row + step] = NONE
        else if (met[after]! & (1 << step)) next[row + step] = place + 1
        else if (isStrict && !isSilent[after]) next[row + step] = NONE
        else next[row + step] = next[row + steps + step]!
      }
    }
  }
}
