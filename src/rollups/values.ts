import { compileMatch, type ValueOperator } from './value-match.ts'

export interface ValueTest {
  operator: ValueOperator
  value: string
}

/**
 * Which of `values` pass each test, as their indices.
 * @param input.most matches of all tests together
 * @returns null when there are more
 */
export async function matchValues(
  _db: unknown,
  { tests, values, most }: { tests: ValueTest[]; values: string[]; most: number },
): Promise<Int32Array[] | null> {
  let count = 0
  const matches: Int32Array[] = []
  for (const { operator, value } of tests) {
    const isMatch = compileMatch(operator, value)
    const found = values.flatMap((text, index) => (isMatch(text) ? [index] : []))
    count += found.length
    if (count > most) return null
    matches.push(Int32Array.from(found))
  }
  return matches
}
