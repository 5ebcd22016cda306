import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_LINE_BYTES, readLines } from '../../../src/ingestion/import/lines.ts'
import { streamOf } from '../../support/import-lines.ts'

async function read(text: string, chunkBytes?: number) {
  const lines: [number, string | undefined][] = []
  for await (const chunk of readLines(streamOf(text, chunkBytes))) {
    for (const { number, text } of chunk) lines.push([number, text?.toString()])
  }
  return lines
}

test.each([
  ['', []],
  ['\n\n', []],
  ['a', [[1, 'a']]],
  ['a\n', [[1, 'a']]],
  ['a\r\nb\r\n', [[1, 'a'], [2, 'b']]], // biome-ignore format: a table
  ['\uFEFFa\nb', [[1, 'a'], [2, 'b']]], // biome-ignore format: a table
  ['\n  \r\n\ta b \n\nc', [[3, 'a b'], [5, 'c']]], // biome-ignore format: a table
  ['a\n\uFEFFb', [[1, 'a'], [2, 'b']]], // biome-ignore format: a table
] as [string, [number, string][]][])(
  'import lines: %j is read line by line, with the line numbers of an editor',
  async (text, expected) => {
    expect(await read(text)).toEqual(expected)
  },
)

test('import lines: chunk boundaries do not change the lines', async () => {
  const text = fc.array(fc.constantFrom('a', 'ü', '\n', '\r\n', ' ', '{"x": 1}'), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (pieces, chunkBytes) => {
      const whole = pieces.join('')
      expect(await read(whole, chunkBytes)).toEqual(await read(whole, 10_000))
    }),
  )
})

test.each([100, 70_000, 10_000_000])(
  'import lines: a line that is too long is reported only by its number (%i)',
  async chunk => {
    const fits = 'x'.repeat(MAX_LINE_BYTES)
    const text = `a\n${fits}\n${fits}x\n${'y'.repeat(3 * MAX_LINE_BYTES)}\nb\n${fits}z`
    expect(await read(text, chunk)).toEqual([
      [1, 'a'],
      [2, fits],
      [3, undefined],
      [4, undefined],
      [5, 'b'],
      [6, undefined],
    ])
  },
)
