import { compileMatch } from '../patterns/value-match.ts'
import type { SessionFilter } from '../protocol.ts'
import type { StoredPart } from './read-parts.ts'

/** Filters of one read; each text is compared once. */
export class SessionMatcher {
  readonly #filters: { dimension: string; matches: (text: string) => boolean }[]

  constructor(filters: readonly SessionFilter[]) {
    this.#filters = filters.map(filter => ({
      dimension: filter.dimension,
      matches: remembered(testOf(filter)),
    }))
  }

  /** Names of the blocks that `match` reads. */
  get names(): string[] {
    return this.#filters.map(({ dimension }) => dimension)
  }

  /** Returns 1 for each session of a part that matches all filters, else 0. */
  match(part: StoredPart, sessions: number): Uint8Array {
    const matching = new Uint8Array(sessions).fill(1)
    for (const { dimension, matches } of this.#filters) {
      const block = part.block(dimension)
      if (!block) return new Uint8Array(sessions)
      const ids = block.columns.ids!
      const passes = Uint8Array.from(block.texts, text => (matches(text) ? 1 : 0))
      for (let index = 0; index < sessions; index++) matching[index]! &= passes[ids[index]!]!
    }
    return matching
  }
}

function testOf({ operator, values }: SessionFilter): (text: string) => boolean {
  if (operator === 'is' || operator === 'is_not') {
    const wanted = new Set(values)
    return operator === 'is' ? text => wanted.has(text) : text => !wanted.has(text)
  }
  const tests = values.map(value => compileMatch(operator, value))
  return operator === 'does_not_contain'
    ? text => tests.every(test => test(text))
    : text => tests.some(test => test(text))
}

function remembered(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return text => {
    let result = known.get(text)
    if (result === undefined) {
      result = test(text)
      known.set(text, result)
    }
    return result
  }
}
