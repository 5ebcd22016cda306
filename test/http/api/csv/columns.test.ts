import { expect, test } from 'vitest'
import { z } from 'zod'
import { columnsOf, headerOf, linesOf, rowSchemaOf } from '../../../../src/http/api/csv/columns.ts'
import { envelope } from '../../../../src/platform/schema/pagination.ts'

const Row = z.object({
  id: z.string(),
  place: z.object({ city: z.string().nullable(), at: z.object({ lat: z.number() }) }).nullable(),
  tags: z.array(z.string()).optional(),
  props: z.record(z.string(), z.string()),
  is_new: z.boolean(),
})

test.each([
  ['a bare array', z.array(Row), true],
  ['a page', envelope(Row), true],
  ['an object', Row, false],
  ['an object with data', z.object({ data: z.array(Row) }), false],
  ['nothing', z.void(), false],
])('csv: %s has rows: %#', (_, schema, isList) => {
  expect(rowSchemaOf(schema) === Row).toBe(isList)
})

test('csv: the columns are the fields, those of an object with its name before them', () => {
  const names = columnsOf(Row).map(({ name }) => name)
  expect(names).toEqual(['id', 'place.city', 'place.at.lat', 'tags', 'props', 'is_new'])
  expect(headerOf(columnsOf(Row))).toBe('id,place.city,place.at.lat,tags,props,is_new\r\n')
})

test('csv: rows of several kinds have the columns of all', () => {
  const kinds = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), size: z.number() }),
    z.object({ kind: z.literal('b'), name: z.string() }),
  ])
  expect(columnsOf(kinds).map(({ name }) => name)).toEqual(['kind', 'size', 'name'])
  expect(linesOf(columnsOf(kinds), [{ kind: 'b', name: 'x' }])).toBe('b,,x\r\n')
})

test('csv: plain values are one column', () => {
  const columns = columnsOf(z.string())
  expect([headerOf(columns), linesOf(columns, ['a', 'b,c'])]).toEqual(['value\r\n', 'a\r\n"b,c"\r\n'])
})

test('csv: null is empty, lists and objects are JSON, flags are words', () => {
  const rows = [
    { id: 'a', place: null, tags: ['x', 'y z'], props: { k: 'v' }, is_new: false },
    { id: 'b', place: { city: null, at: { lat: -1.5 } }, props: {}, is_new: true },
  ]
  expect(linesOf(columnsOf(Row), rows)).toBe(
    'a,,,"[""x"",""y z""]","{""k"":""v""}",false\r\nb,,-1.5,,{},true\r\n',
  )
})

test.each([
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['a\nb', '"a\nb"'],
  ['a\rb', '"a\rb"'],
  ['a\r\nb', '"a\r\nb"'],
  [' a ', ' a '],
  ['ü€𝄞', 'ü€𝄞'],
  ['', ''],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  ['=HYPERLINK("https://a.example","b")', '"\'=HYPERLINK(""https://a.example"",""b"")"'],
  [' =1+1', "' =1+1"],
  ['\n@SUM(A1)', '"\'\n@SUM(A1)"'],
  ['\u00a0\ufeff \u2028-1', "'\u00a0\ufeff \u2028-1"],
  [' ＋1', "' ＋1"],
  [' a=1', ' a=1'],
  ['a=1', 'a=1'],
  ["'a", "'a"],
])('csv: the text %j is the cell %j', (text, cell) => {
  expect(linesOf(columnsOf(z.string()), [text])).toBe(`${cell}\r\n`)
})

test.each([[-5], [0], [1.25], [1e21], [Number.MAX_SAFE_INTEGER]])(
  'csv: the number %d stays a number',
  value => {
    expect(linesOf(columnsOf(z.number()), [value])).toBe(`${value}\r\n`)
  },
)
