import type { Operator } from './recount-values.ts'

/** Choices that a seed repeats, and values to look for that lie near ones that exist. */

export interface Random {
  /** 0 to `below` - 1 */
  int(below: number): number
  pick<T>(choices: readonly T[]): T
  /** true so often, 0 to 1 */
  chance(share: number): boolean
}

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    pick: choices => choices[int(choices.length)]!,
    chance: share => next() < share,
  }
}

/** Text that an operator would take for something else if it were not escaped, and text that is nowhere. */
const traps = ['%', '_', '\\', '50%', 'a_b', 'zzz', '.', '*']

/**
 * What to compare with so that it mostly matches the value.
 * @param value empty where there is none
 */
export function wantedLike(random: Random, operator: Operator, value: string): string {
  if (operator === 'is' || operator === 'is_not') return wholeLike(random, value)
  if (value === '' || (random.chance(0.08) && operator !== 'matches_regex')) {
    return operator === 'matches_regex' ? 'zzz' : random.pick(traps)
  }
  const letters = [...value]
  const start = random.int(letters.length)
  const end = start + 1 + random.int(letters.length - start)
  const before = letters.slice(0, start).join('')
  const piece = letters.slice(start, end).join('')
  const after = letters.slice(end).join('')
  switch (operator) {
    case 'contains':
    case 'does_not_contain':
      return piece
    case 'starts_with':
      return before + piece
    case 'ends_with':
      return piece + after
    case 'matches_pattern':
      return before + random.pick(['*', '**', piece]) + after
    case 'matches_regex':
      return random.pick([
        `^${escaped(before + piece)}`,
        `${escaped(piece + after)}$`,
        `^${escaped(before)}.*${escaped(after)}$`,
        `${escaped(piece)}|zzz`,
        `^[^/]+${escaped(after)}$`,
      ])
  }
}

function wholeLike(random: Random, value: string): string {
  if (random.chance(0.07)) return '(none)'
  if (random.chance(0.07)) return swappedCase(value) || 'zzz'
  return value === '' ? '(none)' : value
}

function swappedCase(value: string): string {
  return value === value.toLowerCase() ? value.toUpperCase() : value.toLowerCase()
}

/** For a regular expression, of RE2 as of JavaScript. */
function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
}
