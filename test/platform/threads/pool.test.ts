import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createPool } from '../../../src/platform/threads/pool.ts'
import { folderOfFile } from '../../support/data-dir.ts'
import { ofFile } from '../../support/of-file.ts'

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

const folder = folderOfFile('pool')
const pool = ofFile(async () => {
  const entry = join(folder, 'entry.mjs')
  await writeFile(entry, ENTRY)
  return createPool({ entry: pathToFileURL(entry), threads: 1, heapMb: 32, graceMs: 10 })
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
