import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/threads/pool.ts'

let folder: string
let pool: Pool

/** Tasks that end at once, fail, run forever, or use up all memory. */
const ENTRY = `
export default function run({ task, input }) {
  const kept = []
  for (;;) {
    if (task === 'echo') return { value: input }
    if (task === 'none') throw new Error('no such task')
    if (task === 'hoard') kept.push(new Array(100_000).fill(kept.length))
  }
}`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pool-'))
  const entry = join(folder, 'entry.mjs')
  await writeFile(entry, ENTRY)
  pool = createPool({ entry: pathToFileURL(entry), threads: 1, heapMb: 32, graceMs: 10 })
})
afterAll(async () => {
  await pool.close()
  await rm(folder, { recursive: true })
})

test('pool: an aborted task that does not end loses its thread, and the next task gets a new one', async () => {
  const client = new AbortController()
  // Waits for the thread, so that the endless task runs before it is aborted.
  expect(await pool.run('echo', 1)).toBe(1)
  const endless = pool.run('endless', 1, client.signal)
  const waiting = pool.run('echo', 2)
  client.abort()
  await expect(endless).rejects.toMatchObject({ code: 'unavailable' })
  expect(await waiting).toBe(2)
  await expect(pool.run('echo', 3, client.signal)).rejects.toMatchObject({ code: 'unavailable' })
})

test('pool: a task that uses up the memory of its thread fails alone', async () => {
  const hoarding = pool.run('hoard', 1)
  const waiting = pool.run('echo', 2)
  await expect(hoarding).rejects.toMatchObject({ code: 'unavailable', retryAfter: expect.any(Number) })
  expect(await waiting).toBe(2)
})
