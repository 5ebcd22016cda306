import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDb } from '../../../src/platform/db/connect.ts'
import { copyInto, copyLines, copyValues } from '../../../src/platform/db/copy.ts'
import { sqlState } from '../../../src/platform/db/database-errors.ts'
import { sharedDatabase } from '../../support/database.ts'
import { ofFile } from '../../support/of-file.ts'

const database = ofFile(sharedDatabase)
beforeAll(() => database.db`create table copied (no integer primary key, text text, data jsonb)`)
afterAll(() => database.db`drop table copied`)

const copy = copyInto('copy-test', 'copied' as never, ['no', 'text', 'data'])
const linesOf = (rows: (string | number | null)[][]) => copyLines(rows, copyValues)

test('copy: texts arrive as they are, whatever their characters', async () => {
  const texts = ['', '\\N', '\\.', 'a\tb\nc\rd\\e', '"{é日}"', '\\', ' ', null]
  await database.db.begin(async tx => {
    await copy(tx, linesOf(texts.map((text, no) => [no, text, JSON.stringify({ text })])))
  })
  const rows = await database.db`select text, data ->> 'text' as same from copied where no < 1000 order by no`
  expect(rows).toEqual(texts.map(text => ({ text, same: text })))
})

test('copy: many rows are inserted in one call', async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => [1_000 + index, 'x'.repeat(index % 1_000), null])
  await database.db.begin(tx => copy(tx, linesOf(rows)))
  const [found] = await database.db`
    select count(*)::int as count, sum(length(text))::int as length from copied where no >= 1000`
  expect(found).toEqual({ count: 5_000, length: 5 * 499_500 })
})

test.each([
  ['a value that is no number', linesOf([20_000, 'no'].map(no => [no, 'kept?', null])), '22P02'],
  ['a row twice', linesOf([20_000, 20_000].map(no => [no, 'kept?', null])), '23505'],
  ['a line of too few values', Buffer.from('20000\n'), '22P04'],
])('copy: %s refuses all rows with its SQLSTATE, and the connection goes on', async (_, lines, state) => {
  const error = await database.db.begin(tx => copy(tx, lines)).catch(error => error)
  expect(sqlState(error)).toBe(state)
  expect(await database.db`select from copied where no = 20000`).toHaveLength(0)
})

test('copy: rejects when the connection ends meanwhile', async () => {
  const own = connectDb(database.url, { max: 1, name: 'test of copy' })
  const lines = linesOf(Array.from({ length: 5_000 }, (_, index) => [30_000 + index, 'lost', null]))
  const lost = own.begin(async tx => {
    const copying = copy(tx, lines)
    setImmediate(() => own.end({ timeout: 0 }))
    await copying
  })
  await expect(lost).rejects.toThrow('CONNECTION_')
  expect(await database.db`select from copied where no >= 30000`).toHaveLength(0)
})
