import { expect, test } from 'vitest'
import { readJsonLines } from '../../../src/transfer/read/json-lines.ts'
import { collect, streamOf } from './source.ts'

test('json lines: objects are read, and everything else is counted as left', async () => {
  const deep = '['.repeat(40) + ']'.repeat(40)
  const lines = ['{"a": 1}', '', '[1]', '{"a"', `{"a": ${deep}}`, `{"a": "${'x'.repeat(2_000)}"}`, '{"b": 2}']
  expect(await collect(readJsonLines(streamOf(lines), { maxBytes: 1_024 }))).toEqual([
    { value: { a: 1 } },
    { left: 'the line is not a JSON object' },
    { left: 'the line is not a JSON object' },
    { left: 'the line is not a JSON object' },
    { left: 'the line is longer than 1 KiB' },
    { value: { b: 2 } },
  ])
})
