// The patterns of the tracker's `data-exclude`, matched without regular expressions: a page of a hostile path and a pattern with many
// wildcards would otherwise block the process. test/platform/lib/path-patterns.test.ts compares both.

/** Codes of the wildcards; no character of a path has them. */
const SEGMENT = -1
const ANY = -2

/** Returns the characters of a pattern; `*` and `**` are one code each, and further stars change nothing. */
const parse = (pattern: string): number[] =>
  (pattern.match(/\*+|[^*]/gs) ?? []).map(part => {
    if (part.startsWith('*')) return part.length > 1 ? ANY : SEGMENT
    return part.charCodeAt(0)
  })

const SLASH = '/'.charCodeAt(0)

/** Follows all positions of the pattern at once: the time is that of path times pattern, whatever both are. */
function matches(pattern: number[], path: string): boolean {
  const end = pattern.length
  let positions = reach(pattern, [0])
  for (let at = 0; at < path.length && positions.length > 0; at++) {
    const character = path.charCodeAt(at)
    const next: number[] = []
    for (const position of positions) {
      const expected = pattern[position]
      if (expected === ANY || (expected === SEGMENT && character !== SLASH)) next.push(position)
      else if (expected === character) next.push(position + 1)
    }
    positions = reach(pattern, next)
  }
  return positions.includes(end)
}

/** Adds the positions after wildcards, which may match nothing; each position once, in order. */
function reach(pattern: number[], positions: number[]): number[] {
  const reached = new Set<number>()
  for (const first of positions) {
    let position = first
    reached.add(position)
    while (pattern[position] === ANY || pattern[position] === SEGMENT) reached.add(++position)
  }
  return [...reached]
}

/** The same path with its percent-encoding undone, where it is valid. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/**
 * Returns whether a path matches one of the patterns: `*` matches any characters except `/`, `**` any characters, everything else is
 * literal. Query and fragment are not looked at, and the path may be percent-encoded or not.
 */
export function matchesPath(patterns: readonly string[], path: string): boolean {
  if (patterns.length === 0) return false
  const plain = path.replace(/[?#].*$/s, '')
  const forms = plain.includes('%') ? [plain, decoded(plain)] : [plain]
  return patterns.some(pattern => {
    const parsed = parse(pattern)
    return forms.some(form => matches(parsed, form))
  })
}
