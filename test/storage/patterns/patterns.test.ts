import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkTests } from '../../../src/storage/patterns/check-tests.ts'
import type { EachMatches, ValueTest } from '../../../src/storage/patterns/pattern-protocol.ts'
import { compileMatch, VALUE_OPERATORS } from '../../../src/storage/patterns/value-match.ts'
import { inProcessPatterns } from '../../support/in-process-patterns.ts'
import { mixedText } from '../../support/mixed-text.ts'

/** An expression of 4,203 instructions; each takes up to 100 ns per character. */
const SLOW = '(?:a[ab]?|b[ab]?){600}c'
const regex = (value: string): ValueTest => ({ operator: 'matches_regex', value })

test('patterns: the refusal names the test whose expression is invalid', async () => {
  const patterns = inProcessPatterns()
  expect(await checkTests({ patterns }, [regex('a'), regex('b')])).toBeUndefined()
  expect(await checkTests({ patterns }, [regex('a'), regex('(')])).toMatchObject({
    test: 1,
    reason: expect.stringContaining('RE2'),
  })
})

test('patterns: together with others, each test finds what it finds alone', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 6 })
  const literal = VALUE_OPERATORS.filter(each => each !== 'matches_regex')
  const anyTest = fc.record({ operator: fc.constantFrom(...literal), value: text })
  const tests = fc.array(anyTest, { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(tests, fc.array(text, { maxLength: 60 }), async (given, texts) => {
      const all: ValueTest[] = [...given, regex('a+b'), regex('^/')]
      const values = [...texts, 'a'.repeat(200_000), ...texts, 'b'.repeat(200_000)]
      const input = { tests: all, values, testMs: 60_000, budgetMs: 60_000 }
      const { results } = (await inProcessPatterns().run('matchEach', input)) as EachMatches
      const found = results.map(result =>
        typeof result === 'string' ? result : Array.from(result, index => values[index]),
      )
      expect(found).toEqual(all.map(({ operator, value }) => values.filter(compileMatch(operator, value))))
    }),
    { numRuns: 50 },
  )
})

test('patterns: tests that are handled one by one have limits of their own, and wait when the turn is over', async () => {
  const values = ['/buy', ...Array.from({ length: 3 }, (_, index) => `/a${mixedText(index, 1_000)}`)]
  const tests: ValueTest[] = [
    { operator: 'is', value: '/buy' },
    regex('(('),
    regex('a[ab]{1000}[cd]'),
    { operator: 'starts_with', value: '/a' },
  ]
  const each = async (budgetMs: number) =>
    (await inProcessPatterns().run('matchEach', { tests, values, testMs: 10, budgetMs })) as EachMatches
  const { results } = await each(Number.POSITIVE_INFINITY)
  const found = results.map(result => (typeof result === 'string' ? result : [...result]))
  expect(found).toEqual([[0], 'invalid', 'slow', [1, 2, 3]])
  expect((await each(-1)).results).toHaveLength(1)
})

test('patterns: one value that is too long for a test does not pass it, and does not turn the test off', async () => {
  const values = ['ab'.repeat(1_000), `${'a'.repeat(600)}c`]
  const input = { tests: [regex(SLOW)], values, testMs: 60_000, budgetMs: 0 }
  const { results } = (await inProcessPatterns().run('matchEach', input)) as EachMatches
  expect([...(results[0] as Int32Array)]).toEqual([1])
})
