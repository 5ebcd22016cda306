import { expect, test } from 'vitest'
import { readJsonLines } from '../../../../src/outgoing/transfer/read/json-lines.ts'
import { readJsonObjects } from '../../../../src/outgoing/transfer/read/json-objects.ts'
import { collect, fileOf, streamOf } from './source.ts'

/** Read in chunks of every small size, so that each byte is once the first of a chunk. */
async function objectsOf(content: string | Buffer, maxBytes?: number) {
  const bytes = Buffer.from(content)
  const results = []
  for (const size of [1, 2, 3, 7, 64, bytes.length + 1]) {
    const file = fileOf(bytes, 'x', size).read()
    const items = await collect(readJsonObjects(file, maxBytes ? { maxBytes } : {}))
    results.push(items.map(({ value, left }) => value ?? left))
  }
  for (const result of results) expect(result).toEqual(results[0])
  return results[0]
}

const BROKEN = 'the line is not a JSON object'

test('JSON objects: lines, arrays and several arrays one after the other give the same objects', async () => {
  const objects = [{ a: 1 }, { b: [{ c: '}{' }], d: '\\" [' }, {}]
  const lines = objects.map(object => JSON.stringify(object))
  expect(await objectsOf(lines.join('\n'))).toEqual(objects)
  expect(await objectsOf(`\uFEFF${lines.join('\r\n')}\r\n\r\n`)).toEqual(objects)
  expect(await objectsOf(JSON.stringify(objects))).toEqual(objects)
  expect(await objectsOf(JSON.stringify(objects, null, 2))).toEqual(objects)
  const array = JSON.stringify(objects)
  const several = [...objects, ...objects, { e: 2 }]
  expect(await objectsOf(`${array}\n[]\n${array}[{"e":2}]`)).toEqual(several)
  expect(await objectsOf(`\x1e${lines.join('\n\x1e')}`)).toEqual(objects)
})

test('JSON objects: a broken one does not take the next line with it', async () => {
  const whole = '{"whole": 1}'
  const around = [{ whole: 1 }, BROKEN, { whole: 1 }]
  const cut = ['{"a": "cut', '{"a": 1, "b"', '{"a": [1', 'text', '{"a": "\\', '{"a": tru}', '[1, 2]']
  for (const broken of cut) expect(await objectsOf(`${whole}\n${broken}\n${whole}`), broken).toEqual(around)
  expect(await objectsOf(`${whole}\n{"a": {`)).toEqual([{ whole: 1 }, BROKEN])
  expect(await objectsOf(`[${whole}, {"a": \n[${whole}]`)).toEqual(around)
})

test('JSON objects: one that is too long is skipped, and bytes that are no UTF-8 are replaced', async () => {
  const long = JSON.stringify({ a: 'x'.repeat(2_000), b: { c: ['"', '}'] } })
  const reason = 'the object is longer than 1 KiB'
  expect(await objectsOf(`${long}\n{"b": 1}\n${long}`, 1_024)).toEqual([reason, { b: 1 }, reason])
  expect(await objectsOf(Buffer.from('{"a": "caf\xe9"}', 'latin1'))).toEqual([{ a: 'caf\ufffd' }])
})

test('JSON objects: each has the line on which it begins', async () => {
  const text = '[{"a": 1},\n{\n  "b": 2\n}, {"c": "cut\n{"d": 4}\ntext\n{"e": 5}]'
  for (const size of [1, 4, 1_000]) {
    const items = await collect(readJsonObjects(streamOf(text, size)))
    expect(items.map(({ line, value, left }) => [line, value ? Object.keys(value)[0] : left])).toEqual([
      ...[[1, 'a'], [2, 'b'], [4, BROKEN], [5, 'd'], [6, BROKEN], [7, 'e']], // biome-ignore format: a table
    ])
  }
})

test('JSON objects: nothing comes of an empty file', async () => {
  expect(await objectsOf('')).toEqual([])
  expect(await objectsOf(' \n[]\n')).toEqual([])
})

test('json lines: objects are read, and everything else is counted as left', async () => {
  const deep = '['.repeat(40) + ']'.repeat(40)
  const lines = ['{"a": 1}', '', '[1]', '{"a"', `{"a": ${deep}}`, `{"a": "${'x'.repeat(2_000)}"}`, '{"b": 2}']
  expect(await collect(readJsonLines(streamOf(lines), { maxBytes: 1_024 }))).toEqual([
    { line: 1, value: { a: 1 } },
    { line: 3, left: 'the line is not a JSON object' },
    { line: 4, left: 'the line is not a JSON object' },
    { line: 5, left: 'the line is not a JSON object' },
    { line: 6, left: 'the line is longer than 1 KiB' },
    { line: 7, value: { b: 2 } },
  ])
})
