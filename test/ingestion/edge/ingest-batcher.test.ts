import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createIngestBatcher } from '../../../src/ingestion/edge/ingest-batcher.ts'
import type { Hit } from '../../../src/ingestion/hit.ts'

/** An ingest batcher whose queue never answers. */
const stuck = () =>
  createIngestBatcher([{ enqueue: () => new Promise(() => {}), refusalOf: () => undefined }])

const hit: Hit = {
  id: randomUUID(),
  at: Date.UTC(2026, 0, 1),
  siteNo: 1,
  siteId: randomUUID(),
  type: 'error',
  visitorId: randomUUID(),
  hostname: 'example.com',
}

/** Sends `count` hits at once and returns how many were refused. */
async function refusedOf(count: number, characters: number): Promise<number> {
  const batcher = stuck()
  let refused = 0
  for (let index = 0; index < count; index++) {
    batcher.add({ hit, partition: index % 4, characters }).catch(error => {
      expect(error).toMatchObject({ code: 'unavailable', retryAfter: 1 })
      refused += 1
    })
  }
  await Promise.resolve()
  await Promise.resolve()
  return refused
}

test('ingest batcher: 10,000 hits of usual size may wait', async () => {
  expect(await refusedOf(10_000, 400)).toBe(0)
})

test('ingest batcher: hits of the largest size are refused before they fill the memory', async () => {
  const refused = await refusedOf(5_000, 20_000)
  // 64 MiB hold about 1,600 hits of 20,000 characters, at two bytes each.
  expect(refused).toBeGreaterThan(3_000)
  expect(refused).toBeLessThan(3_700)
})

test('ingest batcher: a long body that brought no hit takes no room of hits', async () => {
  const batcher = stuck()
  const limit = { key: 'collect:sender', limit: 600 }
  let refused = 0
  for (let index = 0; index < 5_000; index++)
    batcher.add({ limit, characters: 20_000 }).catch(() => {
      refused += 1
    })
  await Promise.resolve()
  await Promise.resolve()
  expect(refused).toBe(0)
})
