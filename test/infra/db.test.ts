import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import {
  clientOptions,
  connectDb,
  type Db,
  isDataFault,
  isRetryable,
  isUnavailable,
  sqlState,
  statement,
  translateDbError,
} from '../../src/infra/db.ts'
import { asAppError } from '../../src/infra/failures.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const withCode = (code: unknown) => Object.assign(new Error('failed'), { code })

test('a socket that is not there means that the database is away, a file that is not there does not', () => {
  const missing = (syscall: string) => Object.assign(withCode('ENOENT'), { syscall })
  expect(isUnavailable(missing('connect'))).toBe(true)
  expect(isUnavailable(missing('open'))).toBe(false)
})

test.each([
  ['08006', 'connection failure'],
  ['53100', 'disk full'],
  ['53300', 'too many connections'],
  ['57P01', 'shut down by an administrator'],
  ['57P03', 'still starting'],
  ['58030', 'I/O error'],
  ['CONNECTION_CLOSED', 'connection lost'],
  ['CONNECT_TIMEOUT', 'no answer'],
  ['ECONNREFUSED', 'nobody listens'],
  ['ENETUNREACH', 'no network'],
  ['EAI_AGAIN', 'no name server'],
])('%s (%s) means that the database is away, and trying the same at once would not help', code => {
  expect(isUnavailable(withCode(code))).toBe(true)
  expect(isRetryable(withCode(code))).toBe(false)
})

test.each([
  ['40001', 'serialization failure'],
  ['40P01', 'deadlock'],
  ['55P03', 'lock timeout'],
  ['57014', 'statement timeout'],
  ['25P03', 'ended for being idle in a transaction'],
])('%s (%s) means that the same transaction can be run again', code => {
  expect(isRetryable(withCode(code))).toBe(true)
  expect(isUnavailable(withCode(code))).toBe(false)
})

test.each([
  ['23505', 'unique violation'],
  ['22P02', 'not a number'],
  ['54000', 'too large'],
  ['UNDEFINED_VALUE', 'what the driver cannot send'],
])('%s (%s) means that the values are at fault', code => {
  expect(isDataFault(withCode(code))).toBe(true)
  expect(isUnavailable(withCode(code)) || isRetryable(withCode(code))).toBe(false)
})

test.each(['08006', '53100', '57P01', 'ECONNREFUSED', 'ENETDOWN', '40P01', '57014', '42P01', 'XX000'])(
  '%s is not blamed on the values',
  code => {
    expect(isDataFault(withCode(code))).toBe(false)
  },
)

test.each<[unknown, string]>([
  ['42601', 'syntax error'],
  ['25P02', 'in a failed transaction'],
  [23505, 'a code that is no text'],
  [undefined, 'no code'],
])('%s (%s) means neither that the database is away nor that it will do in a moment', code => {
  expect(isUnavailable(withCode(code))).toBe(false)
  expect(isRetryable(withCode(code))).toBe(false)
})

test.each([null, undefined, 'ECONNREFUSED', 53300])('%j, which is no error, means nothing', thrown => {
  expect([isUnavailable(thrown), isRetryable(thrown), isDataFault(thrown)]).toEqual([false, false, false])
})

test('what real servers throw is told apart', async () => {
  const violation = await db`insert into teams (name, plan) values ('x', 'no such plan')`.catch(e => e)
  expect(sqlState(violation)).toMatch(/^2/)
  expect(isUnavailable(violation)).toBe(false)

  const nobody = connectDb('postgres://postgres@localhost/postgres?host=/no/such/folder', {
    max: 1,
    name: 'test',
  })
  const away = await nobody`select 1`.catch(e => e)
  expect(isUnavailable(away)).toBe(true)
  await nobody.end()
  const ended = await nobody`select 1`.catch(e => e)
  expect(isUnavailable(ended)).toBe(true)
})

test('a database that is away becomes a 503, everything unforeseen a 500 that gives nothing away', () => {
  const away = withCode('ECONNREFUSED')
  expect(translateDbError(away)).toMatchObject({ code: 'unavailable', retryAfter: 2, cause: away })
  expect(translateDbError(withCode('40P01'))).toMatchObject({ code: 'unavailable' })
  const mistake = new Error('select secret from table')
  expect(translateDbError(mistake)).toBe(mistake)
  expect(asAppError(mistake)).toMatchObject({ code: 'internal', cause: mistake })
  expect(asAppError(mistake).message).not.toContain('secret')
  const known = new AppError('not_found', 'No such goal')
  expect(asAppError(known)).toBe(known)
})

const ALLOCATION = 'invalid memory alloc request size 1073741824'

test.each([
  ['54000', 'array size exceeds the maximum allowed (134217727)'],
  ['54000', 'out of memory'],
  ['53200', 'out of memory'],
  ['XX000', ALLOCATION],
])('an answer that is too large for the server (%s, %s) becomes a 503', (code, message) => {
  const error = Object.assign(new Error(message), { code })
  expect(asAppError(error)).toMatchObject({ code: 'unavailable', cause: error })
  expect(asAppError(error).retryAfter).toBeGreaterThan(0)
})

test.each([
  ['XX000', 'cache lookup failed for relation 1'],
  ['XX000', `could not store: ${ALLOCATION}`],
  ['54000', 'index row size 2816 exceeds btree version 4 maximum 2704 for index "names"'],
  ['54000', 'row is too big: size 8200, maximum size 8160'],
  ['54001', 'stack depth limit exceeded'],
  [undefined, ALLOCATION],
])('what is no answer that is too large (%s, %s) stays what it is', (code, message) => {
  expect(asAppError(Object.assign(new Error(message), { code }))).toMatchObject({ code: 'internal' })
})

test('storing judges a value that is too large as before', () => {
  const allocation = Object.assign(new Error(ALLOCATION), { code: 'XX000' })
  expect([isDataFault(allocation), isUnavailable(allocation), isRetryable(allocation)]).toEqual([
    false,
    false,
    false,
  ])
  expect(isDataFault(withCode('54000'))).toBe(true)
})

test('an array larger than any is too large an answer, however the server puts it', async () => {
  const ask = (text: string) => db.unsafe(text).catch(e => e)
  const [tooMany, tooManyBytes] = [
    await ask('select array_fill(0, array[300000000])'),
    await ask('select array_fill(0::bigint, array[134217727])'),
  ]
  expect(sqlState(tooMany)).toBe('54000')
  expect(sqlState(tooManyBytes)).toMatch(/^(XX000|54000)$/)
  for (const error of [tooMany, tooManyBytes]) {
    expect(asAppError(error)).toMatchObject({ code: 'unavailable' })
  }
})

test.each([
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Connection is closed.',
  'Command timed out',
])('a Redis client saying %j becomes a 503', message => {
  expect(asAppError(new Error(message))).toMatchObject({ code: 'unavailable', retryAfter: 2 })
})

test('a bigint comes back as an exact number, and as an error when there is none', async () => {
  const [row] = await db`select 9007199254740991::bigint as large, (-9007199254740991)::bigint as small`
  expect(row).toEqual({ large: Number.MAX_SAFE_INTEGER, small: Number.MIN_SAFE_INTEGER })
  await expect(db`select 9007199254740992::bigint as beyond`).rejects.toThrow(
    '9007199254740992 is beyond exact numbers',
  )
  const [echoed] = await db`select ${9007199254740991}::bigint as value`
  expect(echoed!.value).toBe(Number.MAX_SAFE_INTEGER)
})

test('a time comes back to the millisecond, whatever zone the machine is in', async () => {
  const [row] = await db`select timestamptz '2026-03-29 01:30:00.123+01:00' as at`
  expect(row!.at).toEqual(new Date('2026-03-29T00:30:00.123Z'))
})

test('a statement takes its parameters in order, in a pool and in a transaction', async () => {
  const countSites = statement<{ count: number }>('count-sites')
  const [team] = await db`insert into teams (name, plan) values ('Statements', 'active') returning id`
  expect(await countSites(db, team!.id)).toEqual([{ count: 0 }])
  await db.begin(async transaction => {
    await transaction`insert into sites (team_id, domain, timezone) values (${team!.id}, 's.example', 'UTC')`
    expect(await countSites(transaction, team!.id)).toEqual([{ count: 1 }])
  })
  expect(await countSites(db, team!.id)).toEqual([{ count: 1 }])
})

test.each([
  ['postgres://u:p@h:5433/d', { url: 'postgres://u:p@h:5433/d' }],
  ['postgres://u@localhost/d?host=%2Frun%2Fpg', { url: 'postgres://u@localhost/d', host: '/run/pg' }],
  [
    'postgres://u@localhost/d?host=/run/pg&sslmode=disable',
    { url: 'postgres://u@localhost/d?sslmode=disable', host: '/run/pg' },
  ],
])('%s is taken apart for the driver', (url, options) => {
  expect(clientOptions(url)).toEqual(options)
})
