import { expect, test } from 'vitest'
import { AppError } from '../../../src/platform/errors.ts'
import { checkDepth, MAX_DEPTH, parseJson } from '../../../src/platform/lib/json.ts'

const arrays = (depth: number, inner = '1') => '['.repeat(depth) + inner + ']'.repeat(depth)
const objects = (depth: number, inner = '1') => '{"a":'.repeat(depth) + inner + '}'.repeat(depth)

/** Returns the error code of refused text; `read` for accepted text. */
function outcomeOf(text: string): string {
  try {
    parseJson(text)
    return 'read'
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return (error as AppError).code
  }
}

test.each<[string, string]>([
  ['arrays', arrays(MAX_DEPTH)],
  ['objects', objects(MAX_DEPTH)],
  ['both', arrays(MAX_DEPTH / 2, objects(MAX_DEPTH / 2))],
  ['siblings', `[${Array(100).fill(arrays(MAX_DEPTH - 1))}]`],
  ['brackets in a string', JSON.stringify('['.repeat(1_000))],
  ['brackets in a key', JSON.stringify({ ['{'.repeat(1_000)]: 1 })],
  ['brackets behind an escaped quote', JSON.stringify(`"${'['.repeat(1_000)}`)],
  ['brackets behind escaped backslashes and a quote', JSON.stringify(`\\\\"\\"${'{'.repeat(1_000)}\\`)],
])('json, nesting: %s of 32 levels are read', (_, text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

test.each<[string, string]>([
  ['arrays', arrays(MAX_DEPTH + 1)],
  ['objects', objects(MAX_DEPTH + 1)],
  ['both', arrays(20, objects(13))],
  ['behind a string that ends in a backslash', `["a\\\\",${arrays(MAX_DEPTH)}]`],
  ['very many', arrays(130_000)],
])('json, nesting: %s of more than 32 levels are refused with 422', (_, text) => {
  expect(outcomeOf(text)).toBe('validation_failed')
})

test.each<[string, string]>([
  ['open', '['.repeat(130_000)],
  ['closed too often', `${arrays(40)}]`],
  ['in a string that is open', `${'['.repeat(40)}"${']'.repeat(40)}`],
  ['in a string whose last quote is escaped', `${'['.repeat(40)}"\\"${']'.repeat(40)}`],
])('json, nesting: invalid JSON that is %s is refused with 400', (_, text) => {
  expect(outcomeOf(text)).toBe('malformed_json')
})

test('json, nesting: the error names the field and the limit', () => {
  const fields = { input: ['The input is nested deeper than 32 levels'] }
  expect(() => checkDepth(arrays(33), 'input')).toThrow(expect.objectContaining({ fields }))
})
