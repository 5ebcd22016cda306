import net from 'node:net'
import postgres from 'postgres'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { clientOptions } from '../../../src/platform/db/connect.ts'
import { startDatabase } from '../../../src/platform/embedded/database.ts'
import { copyFail } from '../../../src/platform/embedded/protocol.ts'
import { Statements } from '../../../src/platform/embedded/statements.ts'
import { ofFile } from '../../support/of-file.ts'
import {
  bind,
  copyData,
  copyDone,
  describe,
  execute,
  flush,
  parse,
  query,
  RawClient,
  sync,
  terminate,
} from './raw-client.ts'

const log = { info() {}, warn() {}, error() {} }
const IDLE_MS = 300

const database = ofFile(() => startDatabase({ log, idleInTransactionMs: IDLE_MS }))
let socketPath: string

/** A client that is closed after the test. */
function client(options: postgres.Options<Record<string, never>> = {}): postgres.Sql {
  const { url, host } = clientOptions(database.url)
  const sql = postgres(url, { max: 1, onnotice() {}, ...(host ? { host } : {}), ...options })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

/** A raw client that is closed after the test. */
async function connect(parameters?: Record<string, string>): Promise<RawClient> {
  const raw = await RawClient.connect(socketPath, parameters)
  onTestFinished(() => void raw.socket.destroy())
  return raw
}

beforeAll(() => {
  socketPath = `${clientOptions(database.url).host}/.s.PGSQL.5432`
})

test('gateway: overlapping transactions of two clients are isolated from each other', async () => {
  const [a, b] = [client(), client()]
  await a`create table overlap (client text)`
  const insert = (sql: postgres.Sql, name: string) =>
    sql.begin(async tx => {
      for (let i = 0; i < 20; i++) await tx`insert into overlap values (${name})`
      const [row] = await tx`select count(*)::int as n, count(distinct client)::int as clients from overlap`
      if (name === 'b') throw new Error('changed my mind')
      return row
    })
  const [first, second] = await Promise.allSettled([insert(a, 'a'), insert(b, 'b')])
  expect(first).toMatchObject({ status: 'fulfilled', value: { n: 20, clients: 1 } })
  expect(second).toMatchObject({ status: 'rejected', reason: { message: 'changed my mind' } })
  expect(await b`select client, count(*)::int as n from overlap group by 1`).toEqual([{ client: 'a', n: 20 }])
})

test('gateway: a statement of any length is answered, also where an 8 KiB block ends between its messages', async () => {
  const sql = client()
  for (let length = 8_000; length < 8_200; length++) {
    const [row] = await sql`select length(${'x'.repeat(length)}) as length`
    expect(row).toEqual({ length })
  }
})

test('gateway: messages that arrive byte by byte are answered like whole ones', async () => {
  const raw = await connect()
  const asked = [parse('x', 'select $1::int + 1'), bind('x', '41'), execute, sync]
  await raw.sendByteByByte(query('select 41'), ...asked)
  expect((await raw.until('Z')).rows).toEqual(['41'])
  expect(await raw.until('Z')).toMatchObject({ types: '12DCZ', rows: ['42'] })
})

test('gateway: a client that asks for encryption is told to continue without it', async () => {
  const socket = net.connect(socketPath)
  for (const code of [80877103, 80877104]) {
    const request = Buffer.alloc(8)
    request.writeInt32BE(8, 0)
    request.writeInt32BE(code, 4)
    socket.write(request)
    expect(await new Promise(resolve => socket.once('data', data => resolve(data.toString())))).toBe('N')
  }
  socket.destroy()
})

test('gateway: a message with an impossible length ends only its own connection', async () => {
  const raw = await connect()
  raw.send(Buffer.from([0x51, 0, 0, 0, 1]))
  expect((await raw.until('never')).errors).toEqual(['08P01'])
  expect(await client()`select 1 as one`).toEqual([{ one: 1 }])
})

test.each(['during a transaction', 'amid the protocol', 'with a farewell'])(
  'gateway: a client that vanishes %s leaves nothing',
  async when => {
    const sql = client()
    await sql`drop table if exists abandoned`
    await sql`create table abandoned (id int)`
    const raw = await connect()
    const work = query('begin; lock table abandoned; insert into abandoned values (1)')
    raw.send(parse('left', 'select 1'), sync, work)
    await raw.until('Z')
    await raw.until('Z')
    if (when === 'amid the protocol') {
      raw.send(parse('', 'insert into abandoned values (2)'), bind(''), execute, flush)
      await raw.until('C')
    }
    if (when === 'with a farewell') raw.send(query('rollback'), terminate)
    else raw.socket.destroy()
    await raw.closed()
    expect(await sql`select count(*)::int as n from abandoned`).toEqual([{ n: 0 }])
    expect(await sql`select from pg_locks where mode = 'AccessExclusiveLock'`).toHaveLength(0)
    expect(await sql`select name from pg_prepared_statements where name like '%left'`).toEqual([])
  },
)

test('gateway: two clients can use the same name for different statements', async () => {
  const [a, b] = await Promise.all([connect(), connect()])
  const long = 'n'.repeat(62)
  for (const name of ['s1', long]) {
    a.send(parse(name, "select 'a' || $1"), sync)
    b.send(parse(name, "select 'b' || $1"), sync)
    expect((await a.until('Z')).types + (await b.until('Z')).types).toBe('1Z1Z')
    a.send(describe(name), bind(name, '1'), execute, sync)
    b.send(describe(name), bind(name, '2'), execute, sync)
    expect((await a.until('Z')).rows).toEqual(['a1'])
    expect((await b.until('Z')).rows).toEqual(['b2'])
  }
})

test('gateway: the unnamed statement of a client survives statements of other clients', async () => {
  const [a, b, c] = await Promise.all([1, 2, 3].map(() => connect()))
  a!.send(parse('', "select 'a'"), sync)
  await a!.until('Z')
  b!.send(parse('', "select 'b'"), sync)
  await b!.until('Z')
  a!.send(bind(''), execute, sync)
  expect((await a!.until('Z')).rows).toEqual(['a'])
  b!.send(bind(''), execute, sync)
  expect((await b!.until('Z')).rows).toEqual(['b'])
  c!.send(bind(''), execute, sync)
  expect((await c!.until('Z')).errors).toEqual(['26000'])
})

test('gateway: a setting of one client is kept for it and hidden from the others', async () => {
  const [a, b] = [client(), client({ connection: { TimeZone: 'Asia/Tokyo' } })]
  await a`set work_mem = '7MB'`
  await a`select set_config('search_path', 'pg_catalog', false)`
  const show = (sql: postgres.Sql) =>
    sql`select current_setting('work_mem') m, current_setting('search_path') s, current_setting('TimeZone') z`
  for (let i = 0; i < 2; i++) {
    expect(await show(a)).toEqual([{ m: '7MB', s: 'pg_catalog', z: 'UTC' }])
    expect(await show(b)).toEqual([{ m: '4MB', s: '"$user", public', z: 'Asia/Tokyo' }])
  }
  await a`reset all`
  expect(await show(a)).toEqual([{ m: '4MB', s: '"$user", public', z: 'UTC' }])
})

test("gateway: a setting that a statement changes each time it runs stays its client's own", async () => {
  const [raw, other] = [await connect(), client()]
  const others = async () => (await other`select current_setting('work_mem') as m`)[0]!.m
  const own = async () => {
    raw.send(query("select current_setting('work_mem')"))
    return (await raw.until('Z')).rows
  }
  const run = async (...messages: Buffer[]) => {
    raw.send(...messages)
    await raw.until('Z')
  }
  const text = "select set_config('work_mem', $1, false)"
  await run(parse('named', text), bind('named', '5MB'), execute, sync)
  expect([await others(), await own()]).toEqual(['4MB', ['5MB']])
  await run(bind('named', '6MB'), execute, sync)
  expect([await others(), await own()]).toEqual(['4MB', ['6MB']])
  await run(parse('', text), bind('', '7MB'), execute, sync)
  expect(await others()).toBe('4MB')
  await run(bind('', '8MB'), execute, sync)
  expect([await others(), await own()]).toEqual(['4MB', ['8MB']])
  await run(query(`prepare by_sql as select set_config('work_mem', '9MB', false)`))
  await run(query('execute by_sql'))
  expect([await others(), await own()]).toEqual(['4MB', ['9MB']])
  await run(query(`do $$ begin perform set_config('work_mem', '10MB', false); end $$`))
  expect([await others(), await own()]).toEqual(['4MB', ['10MB']])
  // Local to the transaction, which ends with the statement.
  await run(query(`select set_config('work_mem', '11MB', true)`))
  expect([await others(), await own()]).toEqual(['4MB', ['10MB']])
})

test.each([
  ["select set_config('work_mem', '5MB', true)", false],
  ["/* name */\nselect set_config('a.b', '0', true), pg_advisory_xact_lock($1)", false],
  ["with found as (select set_config(name, 'on', true) from pg_settings) select count(*) from found", false],
  ["select set_config('work_mem', $1, true)", true],
  ["select set_config('work_mem', '5MB', true), set_config('jit', 'off', false)", true],
  ["set local work_mem = '5MB'", false],
  ["begin; set work_mem = '5MB'", true],
  ['select 1', false],
])('gateway: the settings are read again after %j: %s', (text, expected) => {
  const statements = new Statements(1)
  const changes = (message: Buffer) => statements.own(message).changesSettings
  expect(changes(parse('', text)) || changes(bind(''))).toBe(expected)
  statements.own(parse('named', text))
  expect(changes(bind('named'))).toBe(expected)
  expect(changes(query(text))).toBe(expected)
})

test('gateway: a client with an unknown setting is refused', async () => {
  const raw = await connect({ no_such_setting: '1' })
  raw.send(query('select 1'))
  expect((await raw.until('never')).errors).toEqual(['22023'])
})

test('gateway: a client that is idle too long in a transaction is rolled back and disconnected, outside of one it stays', async () => {
  const [raw, other] = [await connect(), await connect()]
  other.send(query('begin; create table never (id int)'))
  await other.until('Z')
  expect((await other.until('never')).errors).toEqual(['25P03'])
  expect(await client()`select to_regclass('never')`).toEqual([{ to_regclass: null }])
  // The first has been idle for longer.
  raw.send(query('select 1'))
  expect((await raw.until('Z')).rows).toEqual(['1'])
})

test('gateway: an error in a pipeline skips the messages up to Sync, and none after it', async () => {
  const raw = await connect()
  const divide = (by: string) => [bind('d', by), execute]
  raw.send(parse('d', 'select 1 / $1::int'), ...divide('0'), ...divide('1'), sync, ...divide('1'), sync)
  expect(await raw.until('Z')).toMatchObject({ types: '1EZ', errors: ['22012'] })
  expect(await raw.until('Z')).toMatchObject({ types: '2DCZ', rows: ['1'] })
})

test('gateway: 20 parallel connections each get the answers to their own queries', async () => {
  const sqls = Array.from({ length: 20 }, () => client())
  const asked = Array.from({ length: 2000 }, (_, i) => i)
  const answers = asked.map(i => sqls[i % 20]!`select ${i}::int as i, ${String(i)} as text`)
  expect((await Promise.all(answers)).flat()).toEqual(asked.map(i => ({ i, text: String(i) })))
})

test('gateway: 50 MB of rows reach a slow reader while other clients are served, and 20 MB arrive as a parameter', {
  tags: ['full'],
}, async () => {
  const raw = await connect()
  raw.send(query("select repeat('x', 1000) from generate_series(1, 50000)"))
  await raw.until('T')
  raw.socket.pause()
  const text = 'y'.repeat(20_000_000)
  expect(await client()`select length(${text}) as length`).toEqual([{ length: 20_000_000 }])
  raw.socket.resume()
  const rows = (await raw.until('Z')).rows
  expect(rows).toHaveLength(50_000)
  expect(rows.every(row => row.length === 1000)).toBe(true)
})

test('gateway: a cursor holds the session until it is closed', async () => {
  const [sql, other] = [client(), client()]
  const seen: number[] = []
  await Promise.all([
    sql`select generate_series(1, 100)::int as n`.cursor(7, async rows => {
      for (const row of rows) seen.push(row.n)
    }),
    other`select 1`,
  ])
  expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
})

test('gateway: COPY takes its rows from any number of messages, while other clients are served', async () => {
  const other = client()
  await other`create table copied (text text)`
  const raw = await connect()
  for (let length = 8_100; length < 8_250; length++) {
    raw.send(query('copy copied from stdin'))
    await raw.until('G')
    raw.send(copyData(`${'x'.repeat(length - 4_000)}`))
    await other`select 1`
    raw.send(copyData(`${'y'.repeat(4_000)}\nshort\n`), copyDone)
    expect((await raw.until('Z')).errors).toEqual([])
    const [row] = await other`select max(length(text)) as length, count(*)::int as n from copied`
    expect(row).toEqual({ length, n: 2 })
    await other`truncate copied`
  }
  raw.send(query('copy copied from stdin'), copyData('all at once\n'), copyDone)
  expect((await raw.until('Z')).errors).toEqual([])
  expect(await other`select text from copied`).toEqual([{ text: 'all at once' }])
})

test('gateway: a COPY that fails or is given up inserts nothing, and the connection goes on', async () => {
  const raw = await connect()
  raw.send(query('create temp table counted (n int)'))
  await raw.until('Z')
  const ends = [
    [copyData('1\nno number\n'), copyDone],
    [copyData('1\n'), copyFail],
    [copyData('1\n'), query('select 1')],
  ]
  for (const messages of ends) {
    raw.send(query('copy counted from stdin'))
    await raw.until('G')
    raw.send(...messages)
    expect((await raw.until('Z')).errors).toHaveLength(1)
  }
  expect((await raw.until('Z')).rows).toEqual(['1'])
  // Rows without a COPY are ignored, as by a server.
  raw.send(copyData('2\n'), copyDone, copyFail, query('select count(*)::text from counted'))
  expect((await raw.until('Z')).rows).toEqual(['0'])
  raw.send(query('copy missing from stdin'), copyData('1\n'), copyDone)
  expect((await raw.until('Z')).errors).toHaveLength(1)
})

test('gateway: sequential scans are enabled, as on a server', async () => {
  const sql = client()
  const plan = await sql`explain select count(*) from pg_class`
  expect(JSON.stringify(plan)).toContain('Seq Scan')
})
