/**
 * Measures the figures in the comments of `src/embedded/`. Run it with:
 * npx esbuild test/embedded/measure.ts --bundle --packages=external --platform=node --format=esm \
 *   --outfile=node_modules/.measure.mjs && node node_modules/.measure.mjs
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import postgres from 'postgres'
import { clientOptions } from '../../src/db/connect.ts'
import { startDatabase } from '../../src/embedded/database.ts'
import { readDatabaseFiles } from '../../src/embedded/memory-files.ts'
import { databaseUrl } from '../../src/embedded/paths.ts'
import { giveMemoryBack, takeMemory } from '../support/recycled-memory.ts'
import { exited, ready, spawnEntry } from './spawn.ts'

const silent = { info() {}, warn() {}, error() {} }
const results: Record<string, string> = {}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  results[what] = `${Math.round(performance.now() - startedAt)} ms`
  return result
}

async function perSecond(what: string, count: number, work: (i: number) => Promise<unknown>) {
  await Promise.all(Array.from({ length: 200 }, (_, i) => work(i)))
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: count }, (_, i) => work(i)))
  results[what] = `${Math.round((count / (performance.now() - startedAt)) * 1000)} a second`
}

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'measure-'))
const start = async () => {
  const child = await spawnEntry('workers/embedded-database.ts', ['--data-dir', dataDir])
  await ready(child)
  return child
}
let child = await timed('first start of the process', start)
child.kill('SIGTERM')
await timed('clean stop', () => exited(child))
child = await timed('later start of the process', start)

const { url, host } = clientOptions(databaseUrl(dataDir))
const sql = postgres(url, { max: 10, ...(host ? { host } : {}) })
await perSecond('bound queries, 10 connections', 20_000, i => sql`select ${i}::int as i`)
await sql`create table row (id int primary key, name text)`
await perSecond('single-row inserts, 10 connections', 10_000, i =>
  sql`insert into row values (${i}, ${'x'.repeat(50)}) on conflict do nothing`.execute(),
)
await timed('5,000 bound queries one after the other', async () => {
  for (let i = 0; i < 5_000; i++) await sql`select ${i}::int as i`
})
await perSecond('transactions of 2 statements, 10 connections', 2_000, i =>
  sql.begin(async tx => [await tx`select ${i}::int`, await tx`select ${i + 1}::int`]),
)
await timed('50 MB of rows', () => sql`select repeat('x', 1000) from generate_series(1, 50000)`)
await timed('100,000 rows inserted from unnest', () => {
  const ids = Array.from({ length: 100_000 }, (_, i) => 1_000_000 + i)
  return sql`insert into row select id, 'x' from unnest(${ids}::int[]) id`
})
await sql.end()
child.kill('SIGKILL')
await exited(child)
child = await timed('start after kill -9', start)
child.kill('SIGTERM')
await exited(child)

const memoryUsed = () => process.memoryUsage().rss / 1024 / 1024
const before = memoryUsed()
const empty = await timed('in memory, empty', () => startDatabase({ log: silent }))
await empty.close()
const files = await timed('files of a data folder', async () =>
  readDatabaseFiles(path.join(dataDir, 'database')),
)
const memory = takeMemory()
const first = await timed('in memory, from files', () => startDatabase({ files, memory, log: silent }))
await first.close()
giveMemoryBack(memory)
const copy = await timed('in memory, from files, in used memory', () =>
  startDatabase({ files, memory: takeMemory(), log: silent }),
)
results['memory of two'] = `${Math.round(memoryUsed() - before)} MB`
await timed('close', () => copy.close())
rmSync(dataDir, { recursive: true })
console.table(results)
process.exit(0)
