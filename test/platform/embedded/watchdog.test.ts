// @module-tag full
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { clientOptions } from '../../../src/platform/db/connect.ts'
import { startDatabase } from '../../../src/platform/embedded/database.ts'
import { databaseUrl } from '../../../src/platform/embedded/paths.ts'
import { newDataDir } from '../../support/data-dir.ts'
import { ofFile } from '../../support/of-file.ts'
import { exited, ready, spawnEntry } from './spawn.ts'

const SECRET = 'a value of a user'
/** Runs for hours unless it is cancelled. */
const ENDLESS = `/* endless */ select count(*) from generate_series(1, 3000000) a, generate_series(1, 3000000) b where a = b + length('${SECRET}')`
const busyFor = (ms: number) => `do $$
  declare since timestamptz := clock_timestamp();
  begin while clock_timestamp() < since + interval '${ms} ms' loop end loop; end $$`

const warnings: { fields: object; message: string }[] = []
const warn = (fields: object, message: string) => void warnings.push({ fields, message })
const log = { info() {}, warn, error() {} }
const database = ofFile(() => startDatabase({ log, limits: { statementMs: 2_000, graceMs: 600_000 } }))

function connectTo(to: string, connection: Record<string, string> = {}): postgres.Sql {
  const { url, host } = clientOptions(to)
  return postgres(url, { max: 1, onnotice() {}, ...(host ? { host } : {}), connection })
}

function client(settings: Record<string, string> = {}): postgres.Sql {
  const sql = connectTo(database.url, settings)
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

test('watchdog: a statement that runs too long is cancelled, its transaction is undone, and the next one is answered', async () => {
  warnings.length = 0
  const sql = client()
  await sql`create table broken (id int)`
  const running = sql.begin(async tx => {
    await tx`insert into broken values (1)`
    await tx.unsafe(ENDLESS)
  })
  await expect(running).rejects.toMatchObject({ code: '57014' })
  expect(await sql`select * from broken`).toEqual([])
  const fields = { statement: 'endless', ms: expect.any(Number) }
  expect(warnings).toEqual([{ fields, message: 'a statement ran too long and was ended' }])
  expect(JSON.stringify(warnings)).not.toContain(SECRET)
})

test("watchdog: a client's statement_timeout replaces the limit, and 0 means no limit", async () => {
  const hasty = client({ statement_timeout: '200ms' })
  await expect(hasty.unsafe(busyFor(600_000))).rejects.toMatchObject({ code: '57014' })
  await client({ statement_timeout: '0' }).unsafe(busyFor(2_500))
  await client({ statement_timeout: '1min' }).unsafe(busyFor(2_500))
})

const cancelledBy = (reason: string) => ({ code: '57014', message: expect.stringContaining(reason) })

test('gateway: a waiting statement does not start when it is late, cancelled, or its client is gone', async () => {
  // The database has its own process: in this process it would block the clients too.
  const { dataDir, remove } = newDataDir()
  const child = await spawnEntry('workers/embedded-database.ts', ['--data-dir', dataDir])
  const connect = (settings = {}) => connectTo(databaseUrl(dataDir), settings)
  const [sql, cancelling, leaving, patient] = [connect(), connect(), connect(), connect()] as const
  const hasty = connect({ statement_timeout: '200ms' })
  const all = [sql, cancelling, leaving, patient, hasty]
  try {
    await ready(child)
    await sql`create table given_up (id int)`
    await Promise.all(all.map(each => each`select 1`))
    // Two statements: between them the gateway reads the sockets.
    const busy = [sql.unsafe(busyFor(300)).execute(), patient.unsafe(busyFor(900)).execute()]
    const cancelled = cancelling`insert into given_up values (1)`.execute()
    const left = leaving`insert into given_up values (2)`.execute()
    const late = hasty`insert into given_up values (3)`.execute()
    setTimeout(() => {
      cancelled.cancel()
      void leaving.end({ timeout: 0 })
    }, 100)
    await Promise.all([
      expect(cancelled).rejects.toMatchObject(cancelledBy('user request')),
      expect(left).rejects.toThrow(),
      expect(late).rejects.toMatchObject(cancelledBy('statement timeout')),
      ...busy,
    ])
    expect(await hasty`select * from given_up`).toEqual([])
    expect(await cancelling`select * from given_up`).toEqual([])
  } finally {
    await Promise.all(all.map(each => each.end({ timeout: 1 })))
    child.kill('SIGTERM')
    await exited(child)
    remove()
  }
})

test('watchdog: a process whose statement cannot be cancelled is killed and loses no committed row', async () => {
  const { dataDir, remove } = newDataDir()
  const limits = ['--statement-ms', '300', '--grace-ms', '300']
  const start = () => spawnEntry('workers/embedded-database.ts', ['--data-dir', dataDir, ...limits])
  const connect = () => connectTo(databaseUrl(dataDir))
  try {
    const first = await start()
    await ready(first)
    let sql = connect()
    await sql`create table kept (id int)`
    await sql`insert into kept values (1)`
    // PostgreSQL does not check for a cancellation while it searches a text. This search takes 10¹¹ steps.
    const stuck = `/* stuck */ select position('b' || repeat('a', 100000) in repeat('a', 1100000))`
    const answer = sql.unsafe(stuck).execute()
    await expect(answer).rejects.toThrow()
    expect(await exited(first)).toBe('SIGKILL')
    expect(first.output()).toContain('"statement":"stuck"')
    expect(first.output()).not.toContain('repeat')
    await sql.end({ timeout: 0 })

    const second = await start()
    await ready(second)
    sql = connect()
    expect(await sql`select * from kept`).toEqual([{ id: 1 }])
    await sql.end()
    second.kill('SIGTERM')
    expect(await exited(second)).toBe(0)
  } finally {
    remove()
  }
})
