import { compileMatch, type ValueOperator } from './value-match.ts'

export interface ValueTest {
  operator: ValueOperator
  value: string
}

/** Which of `values` pass each test, as their indices. */
export async function matchValues(
  _db: unknown,
  { tests, values }: { tests: ValueTest[]; values: string[] },
): Promise<number[][]> {
  return tests.map(({ operator, value }) => {
    const matches = compileMatch(operator, value)
    return values.flatMap((text, index) => (matches(text) ? [index] : []))
  })
}
