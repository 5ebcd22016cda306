import { expect, test } from 'vitest'
import { abandonWhen } from '../../../src/platform/db/abandon.ts'
import { ARRAY_TYPES } from '../../../src/platform/db/array-types.ts'
import { connectDb } from '../../../src/platform/db/connect.ts'
import { query } from '../../../src/platform/db/query.ts'
import { dbOf, sharedDatabase } from '../../support/database.ts'
import { databaseProxy } from '../../support/database-proxy.ts'
import { deferred } from '../../support/deferred.ts'
import { ofFile } from '../../support/of-file.ts'

const database = ofFile(sharedDatabase)
const proxy = ofFile(() => databaseProxy(database.url))
const db = dbOf(
  ofFile(async () => {
    const connected = connectDb(proxy.url, { max: 1, name: 'test' })
    return { db: connected, close: () => connected.end({ timeout: 5 }) }
  }),
)

const CLOSED = { code: expect.stringMatching(/^(CONNECTION_CLOSED|ECONNRESET|EPIPE)$/) }
const recovers = () => expect.poll(() => db`select 1 as one`.catch(() => [])).toEqual([{ one: 1 }])

test.each<[string, (statement: Promise<unknown>) => unknown]>([
  ['waits for it', statement => statement],
  ['handles the loss by itself', statement => statement.catch(() => {})],
])(
  'a transaction that %s in a statement fails when its connection is lost, and its process goes on',
  async (_, end) => {
    const transaction = db.begin(async tx => {
      await tx`select 1`
      const statement = tx`select pg_sleep(30)`.execute()
      proxy.cut()
      await end(statement)
    })
    await expect(transaction).rejects.toMatchObject(CLOSED)
    await recovers()
  },
)

test.each([
  ['returns', async () => {}],
  ['fails', () => Promise.reject(new Error('of another kind'))],
])(
  'a transaction whose connection is lost between statements fails also if its function %s later, and takes no more statements',
  async (_, end) => {
    const { promise: lost, resolve: lose } = deferred()
    const later: unknown[] = []
    const transaction = db.begin(async tx => {
      await tx`select 1`
      proxy.cut()
      await lost
      for (const statement of [
        ...[() => tx`select 1`, () => tx.unsafe('select 1')],
        () => tx.savepoint(inner => inner`select 1`),
      ]) {
        later.push(
          await Promise.resolve()
            .then<unknown>(statement)
            .catch(error => error.code),
        )
      }
      await end()
    })
    await expect(transaction).rejects.toMatchObject(CLOSED)
    await recovers()
    lose()
    await expect.poll(() => later).toEqual(Array.from({ length: 3 }, () => CLOSED.code))
    await recovers()
  },
)

test('a statement that cannot be cancelled, since its server is away, fails', async () => {
  const sleep = query('test-sleep', 'select pg_sleep(30)')
  const abort = new AbortController()
  const read = abandonWhen(abort.signal, () => sleep(db))
  await expect.poll(proxy.connections).toBeGreaterThan(0)
  abort.abort()
  proxy.cut()
  await expect(read).rejects.toBeInstanceOf(Error)
  await recovers()
})

test('types of arrays are those of the catalogue, and come back as they were sent', async () => {
  const names = Object.keys(ARRAY_TYPES)
  const rows = await database.db<{ typname: string; element: number; array: number }[]>`
    select typname, oid::int as element, typarray::int as array from pg_type where typname = any(${names}) and oid < 10000`
  expect(Object.fromEntries(rows.map(row => [row.typname, [row.element, row.array]]))).toEqual(ARRAY_TYPES)

  const at = new Date('2026-03-01T00:00:00.250Z')
  const sent = {
    texts: ['a,b', '"quoted"', 'back\\slash', '', '{}', 'null', null],
    numbers: [1, -2.5, null],
    wholes: [2 ** 53 - 1, 0],
    times: [at.toISOString(), null],
    nested: [
      ['a', 'b'],
      ['c', 'd"'],
    ],
  }
  const [got] = await database.db`select ${sent.texts}::text[] as texts, ${sent.numbers}::float8[] as numbers,
    ${sent.wholes}::int8[] as wholes, ${sent.times}::timestamptz[] as times, ${sent.nested}::text[] as nested,
    array[true, null] as booleans, '{}'::int[] as empty`
  expect(got).toEqual({ ...sent, times: [at, null], booleans: [true, null], empty: [] })
})
