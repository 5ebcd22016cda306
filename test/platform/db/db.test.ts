import { expect, test } from 'vitest'
import { clientOptions, connectDb } from '../../../src/platform/db/connect.ts'
import {
  isDataFault,
  isRetryable,
  isUnavailable,
  sqlState,
  translateDbError,
} from '../../../src/platform/db/database-errors.ts'
import { query } from '../../../src/platform/db/query.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { asAppError } from '../../../src/platform/runtime/failures.ts'
import { dbOf, useDatabase } from '../../support/database.ts'

const db = dbOf(useDatabase())

const withCode = (code: unknown) => Object.assign(new Error('failed'), { code })

test('database errors: a missing socket means unavailable, a missing file does not', () => {
  const missing = (syscall: string) => Object.assign(withCode('ENOENT'), { syscall })
  expect(isUnavailable(missing('connect'))).toBe(true)
  expect(isUnavailable(missing('open'))).toBe(false)
})

const UNAVAILABLE = [
  ...['08006', '53100', '53300', '57P01', '57P03', '58030', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT'],
  ...['ECONNREFUSED', 'ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN'],
]
const RETRYABLE = ['40001', '40P01', '55P03', '57014', '25P03']
// An error without a text as code is of the driver, which could not send the values.
const DATA_FAULTS = ['23505', '22P02', '54000', 'UNDEFINED_VALUE', 23505, undefined]
test.each([
  ['unavailable, and that an immediate retry would not help', UNAVAILABLE, [true, false, false]],
  ['that the same transaction can be retried', RETRYABLE, [false, true, false]],
  ['that the values are at fault', DATA_FAULTS, [false, false, true]],
  ['nothing of these', ['42601', '25P02', '42P01', 'XX000'], [false, false, false]],
])('database errors: codes mean %s', (_, codes, expected) => {
  for (const code of codes) {
    const error = withCode(code)
    const meant = [isUnavailable(error), isRetryable(error), isDataFault(error)]
    expect(meant, String(code)).toEqual(expected)
  }
})

test.each([null, undefined, 'ECONNREFUSED', 53300])('database errors: %j is not an error', thrown => {
  expect([isUnavailable(thrown), isRetryable(thrown), isDataFault(thrown)]).toEqual([false, false, false])
})

test('database errors: errors of real servers are classified', async () => {
  const violation = await db`insert into teams (name, plan) values ('x', 'no such plan')`.catch(e => e)
  expect(sqlState(violation)).toMatch(/^2/)
  expect(isUnavailable(violation)).toBe(false)

  const url = 'postgres://postgres@localhost/postgres?host=/no/such/folder'
  const nobody = connectDb(url, { max: 1, name: 'test' })
  const away = await nobody`select 1`.catch(e => e)
  expect(isUnavailable(away)).toBe(true)
  await nobody.end()
  expect(isUnavailable(await nobody`select 1`.catch(e => e))).toBe(true)
})

test('database errors: unavailable becomes a 503, anything unforeseen a 500 without details', () => {
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
])('database errors: a result too large for the server (%s, %s) becomes a 503', (code, message) => {
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
])('database errors: other internal errors and limits (%s, %s) become a 500', (code, message) => {
  expect(asAppError(Object.assign(new Error(message), { code }))).toMatchObject({ code: 'internal' })
})

test('database errors: while storing, a failed allocation is no fault of the values', () => {
  const allocation = Object.assign(new Error(ALLOCATION), { code: 'XX000' })
  const meant = [isDataFault(allocation), isUnavailable(allocation), isRetryable(allocation)]
  expect(meant).toEqual([false, false, false])
})

test('database errors: an array above the size limit becomes a 503', async () => {
  const ask = (text: string) => db.unsafe(text).catch(e => e)
  const tooMany = await ask('select array_fill(0, array[300000000])')
  const tooManyBytes = await ask('select array_fill(0::bigint, array[134217727])')
  expect(sqlState(tooMany)).toBe('54000')
  expect(sqlState(tooManyBytes)).toMatch(/^(XX000|54000)$/)
  for (const error of [tooMany, tooManyBytes]) expect(asAppError(error).code).toBe('unavailable')
})

test.each([
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Connection is closed.',
  'Command timed out',
])('Redis errors: %j becomes a 503', message => {
  expect(asAppError(new Error(message))).toMatchObject({ code: 'unavailable', retryAfter: 2 })
})

test('database values: a bigint is read as an exact number or as an error', async () => {
  const [row] = await db`select 9007199254740991::bigint as large, (-9007199254740991)::bigint as small`
  expect(row).toEqual({ large: Number.MAX_SAFE_INTEGER, small: Number.MIN_SAFE_INTEGER })
  const beyond = db`select 9007199254740992::bigint as beyond`
  await expect(beyond).rejects.toThrow('9007199254740992 is beyond exact numbers')
  const [echoed] = await db`select ${9007199254740991}::bigint as value`
  expect(echoed!.value).toBe(Number.MAX_SAFE_INTEGER)
})

test('database values: a time is exact to the millisecond, independent of the local zone', async () => {
  const [row] = await db`select timestamptz '2026-03-29 01:30:00.123+01:00' as at`
  expect(row!.at).toEqual(new Date('2026-03-29T00:30:00.123Z'))
})

test('database queries: parameters are passed by name, in a pool and in a transaction', async () => {
  const countSites = query<{ teamId: string; domain: string }, { count: number }>(
    'count-sites-of-test',
    'select count(*)::int as count from sites where domain = :domain and team_id = :teamId',
  )
  const [team] = await db`insert into teams (name, plan) values ('Statements', 'active') returning id`
  const given = { teamId: team!.id, domain: 's.example' }
  expect(await countSites(db, given)).toEqual([{ count: 0 }])
  await db.begin(async transaction => {
    await transaction`insert into sites (team_id, domain, timezone) values (${team!.id}, 's.example', 'UTC')`
    expect(await countSites(transaction, given)).toEqual([{ count: 1 }])
  })
  expect(await countSites(db, given)).toEqual([{ count: 1 }])
})

test.each([
  ['postgres://u:p@h:5433/d', 'postgres://u:p@h:5433/d', undefined],
  ['postgres://u@localhost/d?host=%2Frun%2Fpg', 'postgres://u@localhost/d', '/run/pg'],
  ['postgres://u@h/d?host=/run/pg&sslmode=disable', 'postgres://u@h/d?sslmode=disable', '/run/pg'],
])('database URL: %s is split for the driver', (url, plain, host) => {
  expect(clientOptions(url)).toEqual({ url: plain, ...(host && { host }) })
})
