import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCsv } from '../../../../src/outgoing/transfer/read/csv.ts'
import { collect, streamOf } from './source.ts'

const readWithLines = (text: string, options = {}, chunkBytes?: number) =>
  collect(readCsv(streamOf(text, chunkBytes), options))
const read = async (...given: Parameters<typeof readWithLines>) =>
  (await readWithLines(...given)).map(({ line: _, ...item }) => item)

test.each([
  ['a,b\n1,2\n', [{ a: '1', b: '2' }]],
  ['\uFEFF"a","b"\r\n"1","x, ""y"""\r\n', [{ a: '1', b: 'x, "y"' }]],
  ['a,b\n"line\none",2\n\n3,\n', [{ a: 'line\none', b: '2' }, { a: '3', b: '' }]], // biome-ignore format: a table
  ['A ;b\n1;2,5', [{ a: '1', b: '2,5' }]],
  ['a\tb\n1\t2', [{ a: '1', b: '2' }]],
  ['a,b\n1\n1,2,3\n', [{ a: '1', b: undefined }, { a: '1', b: '2' }]], // biome-ignore format: a table
  ['a,b\nsay ""hi"",2\n3" tube,4\n', [{ a: 'say ""hi""', b: '2' }, { a: '3" tube', b: '4' }]], // biome-ignore format: a table
  ['a,b\n', []],
  ['', []],
])('csv: %j is read as rows', async (text, rows) => {
  for (const chunkBytes of [1, 3, 1_000])
    expect(await read(text, {}, chunkBytes)).toEqual(rows.map(row => ({ row })))
})

test('csv: any fields come back as they were written, wherever chunks end', async () => {
  const field = fc.stringMatching(/^[ab",\n\r ü]{0,6}$/).map(text => `x${text}`)
  const rows = fc.array(fc.tuple(field, field), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 40 }), async (written, chunkBytes) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
      const text = `a,b\n${written.map(row => `${row.map(quoted).join(',')}\n`).join('')}`
      const expected = written.map(([a, b]) => ({ row: { a, b } }))
      expect(await read(text, {}, chunkBytes)).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('csv: a row of 10 MB is refused and counted behind the other rows of its chunk', async () => {
  const long = 'x'.repeat(10_000_000)
  const items = await read(`a,b\n1,2\n"${long}\n${long}",2\n3,4\n`, {}, 70_000)
  expect(items).toEqual([
    { row: { a: '1', b: '2' } },
    { row: { a: '3', b: '4' } },
    { left: 'the row is longer than 1024 KiB' },
  ])
})

test('csv: each row has the line on which it begins', async () => {
  const text = 'a,b\n1,"x\ny"\n\n3,4\r\n"5"6,7\n8,9'
  for (const chunkBytes of [1, 5, 1_000]) {
    const rows = await readWithLines(text, {}, chunkBytes)
    expect(rows.map(({ line, row, left }) => [line, row?.b ?? left])).toEqual([
      [2, 'x\ny'],
      [5, '4'],
      [6, '7'],
      [7, '9'],
    ])
  }
})

test.each([
  ['that is never closed', 'a,b\n1,2\n"3,4\n5,6\n', 3],
  ['that the quote of another row seems to close', 'a,b\n1,2\n3,"4\n5,"6"\n7,8\n', 3],
  ['in the names of the columns', 'a,"b\n1,2\n', 1],
  ['after a field of two lines', 'a,b\n"1\n1",2\n"3,4\n', 4],
  ['of a row that is too long', `a,b\n1,2\n"${'x\n'.repeat(1_000_000)}`, 3],
])('csv: a file with a quote %s is refused with its line', async (_, text, line) => {
  const message = expect.stringMatching(new RegExp(`^line ${line}: a field begins with a quote`))
  const chunks = text.length > 1_000 ? [70_000] : [1, 3, 70_000]
  for (const chunkBytes of chunks)
    await expect(read(text, {}, chunkBytes)).rejects.toMatchObject({ code: 'validation_failed', message })
})

test('csv: names of columns may be given', async () => {
  expect(await read('1,2\n', { columns: ['a', 'b'] })).toEqual([{ row: { a: '1', b: '2' } }])
})

test('csv: a file of one endless row or of more than 1000 columns is refused', async () => {
  const code = 'validation_failed'
  await expect(read('x'.repeat(5_000), { maxBytes: 100 }, 70)).rejects.toMatchObject({ code })
  await expect(read(`${'a,'.repeat(1_000)}\n1`)).rejects.toMatchObject({ code })
})
