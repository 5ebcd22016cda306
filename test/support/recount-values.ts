/** How a value is compared with what a goal or a filter asks for. All comparisons are case-sensitive. */

export const operators = [
  ...['is', 'is_not', 'contains', 'does_not_contain', 'starts_with', 'ends_with'],
  ...['matches_pattern', 'matches_regex'],
] as const

export type Operator = (typeof operators)[number]

export function isNegative(operator: Operator): boolean {
  return operator === 'is_not' || operator === 'does_not_contain'
}

/** One value of a filter; `(none)` of `is` and `is_not` stands for the empty value. */
function passesOne(operator: Operator, value: string, wanted: string): boolean {
  if (operator === 'is' || operator === 'is_not') {
    return compares(operator, value, wanted === '(none)' ? '' : wanted)
  }
  return compares(operator, value, wanted)
}

/** Several values of one parameter: any of them, of a negative operator none of them. */
export function passes(operator: Operator, value: string, wanted: string[]): boolean {
  return isNegative(operator)
    ? wanted.every(one => passesOne(operator, value, one))
    : wanted.some(one => passesOne(operator, value, one))
}

/** As a goal compares: without a special meaning of any value. */
export function compares(operator: Operator, value: string, wanted: string): boolean {
  switch (operator) {
    case 'is':
      return value === wanted
    case 'is_not':
      return value !== wanted
    case 'contains':
      return value.indexOf(wanted) >= 0
    case 'does_not_contain':
      return value.indexOf(wanted) < 0
    case 'starts_with':
      return value.slice(0, wanted.length) === wanted
    case 'ends_with':
      return wanted.length <= value.length && value.slice(value.length - wanted.length) === wanted
    case 'matches_pattern':
      return matchesPattern(value, wanted) || matchesPattern(otherSlash(value), wanted)
    case 'matches_regex':
      // The tests only use what means the same in RE2.
      return new RegExp(wanted, 'u').test(value)
  }
}

/** The same value for a pattern: with a slash at its end, or without the one it has. */
function otherSlash(value: string): string {
  const [, name = '', slashes = ''] = /^(.*?)(\/*)$/s.exec(value)!
  if (name === '' || slashes.length > 1) return value
  return slashes === '' ? `${value}/` : name
}

/** `*` is any run without `/`, `**` any run, everything else itself; the whole value has to match. */
function matchesPattern(value: string, pattern: string): boolean {
  if (pattern === '') return value === ''
  if (pattern.startsWith('**')) return someSuffix(value, () => true, pattern.slice(2))
  if (pattern.startsWith('*')) return someSuffix(value, skipped => !skipped.includes('/'), pattern.slice(1))
  return value !== '' && value[0] === pattern[0] && matchesPattern(value.slice(1), pattern.slice(1))
}

/** Whether the rest of a pattern matches after a run that may be skipped. */
function someSuffix(value: string, maySkip: (run: string) => boolean, rest: string): boolean {
  for (let length = 0; length <= value.length; length++) {
    if (maySkip(value.slice(0, length)) && matchesPattern(value.slice(length), rest)) return true
  }
  return false
}
