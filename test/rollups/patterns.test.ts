import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MOST_STEPS, PatternWork } from '../../src/rollups/patterns/match.ts'
import type { EachMatches, ValueTest } from '../../src/rollups/patterns/protocol.ts'
import { compileMatch, VALUE_OPERATORS } from '../../src/rollups/patterns/value-match.ts'
import type { FairPool } from '../../src/threads/fair-pool.ts'
import { inProcessPatterns } from '../support/in-process-patterns.ts'
import { mixedText } from '../support/mixed-text.ts'

/** An expression of 4,203 instructions; each takes up to 100 ns per character. */
const SLOW = '(?:a[ab]?|b[ab]?){600}c'
const numbered = (length: number, text = '') => Array.from({ length }, (_, index) => `/${text}${index}`)
const regex = (value: string): ValueTest => ({ operator: 'matches_regex', value })

/** The pool's tasks, with the number of calls of each. */
function counted(): { patterns: FairPool; calls: Record<string, number> } {
  const calls: Record<string, number> = {}
  const patterns = inProcessPatterns()
  return {
    calls,
    patterns: {
      ...patterns,
      run(task, input, signal) {
        calls[task] = (calls[task] ?? 0) + 1
        return patterns.run(task, input, signal)
      },
    },
  }
}

async function matched(work: PatternWork, tests: ValueTest[], values: string[], most = 1_000_000) {
  const found: string[][] = tests.map(() => [])
  const refusal = await work.match({ tests, values, most }, (test, matches, batch) => {
    found[test]!.push(...Array.from(matches, index => batch[index]!))
  })
  return { refusal, found }
}

test.each<[string, string[], ValueTest[]]>([
  ['the values', numbered(300, 'ab'.repeat(500)), [regex('^/x'), regex(SLOW)]],
  ['a single value', ['/x', 'ab'.repeat(1_000)], [regex(SLOW)]],
])(
  'patterns: an expression too costly for %s is refused before any value is tested',
  async (_, values, tests) => {
    const { patterns, calls } = counted()
    const { refusal } = await matched(new PatternWork(patterns, undefined), tests, values)
    expect(refusal).toEqual({ why: 'costly', test: tests.length - 1 })
    expect(calls.matchValues).toBeUndefined()
  },
)

test('patterns: the costs of several lists in one request add up', async () => {
  const work = new PatternWork(inProcessPatterns(), undefined)
  // Stops at its first character: costly by its size alone.
  const test = regex(`^x{900}`)
  const values = Array(1_000).fill('/'.repeat(Math.floor(MOST_STEPS / 1_000 / 904 / 2) - 1))
  const refusals = []
  for (let list = 0; list < 3; list++) refusals.push((await matched(work, [test], values)).refusal)
  expect(refusals).toEqual([undefined, undefined, { why: 'costly', test: 0 }])
})

test('patterns: an expression that exceeds its time limit is stopped', async () => {
  const work = new PatternWork(inProcessPatterns(), undefined, 1)
  const values = numbered(500, 'ab'.repeat(300))
  const { refusal } = await matched(work, [regex('a[ab]{400}[cd]')], values)
  expect(refusal).toEqual({ why: 'costly', test: 0 })
})

test('patterns: an expression whose first values take too long is stopped before its time limit', async () => {
  const { patterns, calls } = counted()
  // 270 million steps, of 160 ns each.
  const values = Array.from({ length: 300 }, (_, index) => `/${mixedText(index, 1_000)}`)
  const { refusal } = await matched(new PatternWork(patterns, undefined), [regex('\\p{L}{900}')], values)
  expect(refusal).toEqual({ why: 'costly', test: 0 })
  expect(calls.matchValues).toBeLessThan(4)
})

test('patterns: matching stops when the client has disconnected', async () => {
  const { patterns, calls } = counted()
  const client = new AbortController()
  const run: FairPool['run'] = async (task, input, signal) => {
    if (signal?.aborted) throw new Error('ended')
    if (calls.matchValues === 2) client.abort()
    return patterns.run(task, input, signal)
  }
  const values = numbered(100_000, 'blog/')
  const work = new PatternWork({ ...patterns, run }, client.signal)
  await expect(matched(work, [regex('^/blog/\\d+')], values)).rejects.toThrow('ended')
  expect(calls.matchValues).toBe(3)
})

test('patterns: a usual expression works for the largest number of values', async () => {
  const values = Array.from({ length: 500_000 }, (_, index) =>
    index % 5 === 0 ? `/blog/${index}` : `/blog/a-post-of-some-length-${index}`,
  )
  const work = new PatternWork(inProcessPatterns(), undefined, Number.POSITIVE_INFINITY)
  const { refusal, found } = await matched(work, [regex('^/blog/\\d+')], values)
  expect([refusal, found[0]!.length]).toEqual([undefined, 100_000])
})

test('patterns: a request with more matches than the limit is refused', async () => {
  const values = numbered(30_000)
  const tests: ValueTest[] = [
    { operator: 'is_not', value: '/x' },
    { operator: 'contains', value: '' },
  ]
  const work = () => new PatternWork(inProcessPatterns(), undefined)
  expect((await matched(work(), tests, values, 59_999)).refusal).toEqual({ why: 'many' })
  expect((await matched(work(), tests, values, 60_000)).refusal).toBeUndefined()
})

test('patterns: the refusal names the test whose expression is invalid', async () => {
  const work = new PatternWork(inProcessPatterns(), undefined)
  const { refusal } = await matched(work, [regex('a'), regex('(')], [])
  expect(refusal).toMatchObject({ why: 'invalid', test: 1, reason: expect.stringContaining('RE2') })
})

test('patterns: in batches each test finds what it finds alone', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 6 })
  const literal = VALUE_OPERATORS.filter(each => each !== 'matches_regex')
  const anyTest = fc.record({ operator: fc.constantFrom(...literal), value: text })
  const tests = fc.array(anyTest, { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(tests, fc.array(text, { maxLength: 60 }), async (given, texts) => {
      const all: ValueTest[] = [...given, regex('a+b'), regex('^/')]
      // Includes long values, which force several batches.
      const values = [...texts, 'a'.repeat(200_000), ...texts, 'b'.repeat(200_000)]
      const { refusal, found } = await matched(new PatternWork(inProcessPatterns(), undefined), all, values)
      expect(refusal).toBeUndefined()
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
