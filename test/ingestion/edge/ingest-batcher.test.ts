import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createIngestBatcher } from '../../../src/ingestion/edge/ingest-batcher.ts'
import type { Hit } from '../../../src/ingestion/hit.ts'

/** An ingest batcher whose queue never answers. */
const stuck = () => createIngestBatcher({ enqueue: () => new Promise(() => {}), refusalOf: () => undefined })

const hitWith = (fields: Partial<Hit>): Hit => ({
  id: randomUUID(),
  at: Date.UTC(2026, 0, 1),
  siteNo: 1,
  siteId: randomUUID(),
  type: 'error',
  visitorId: randomUUID(),
  hostname: 'example.com',
  ...fields,
})

/** Sends `count` hits at once and returns how many were refused. */
async function refusedOf(count: number, fields: () => Partial<Hit>): Promise<number> {
  const batcher = stuck()
  let refused = 0
  for (let index = 0; index < count; index++) {
    batcher.add({ hit: hitWith(fields()), partition: index % 4 }).catch(error => {
      expect(error).toMatchObject({ code: 'unavailable', retryAfter: 1 })
      refused += 1
    })
  }
  await Promise.resolve()
  await Promise.resolve()
  return refused
}

test('ingest batcher: 10,000 hits of usual size may wait', async () => {
  expect(await refusedOf(10_000, () => ({ url: `/page/${randomUUID()}`, title: 'A page' }))).toBe(0)
})

test('ingest batcher: hits of the largest size are refused before they fill the memory', async () => {
  const stack = 'at f (https://example.com/app.js:1:1)\n'.repeat(500)
  const refused = await refusedOf(5_000, () => ({ error: { message: 'no', stack } }))
  // 64 MiB hold about 1,600 hits of 19,000 characters.
  expect(refused).toBeGreaterThan(3_000)
  expect(refused).toBeLessThan(3_700)
})

test('ingest batcher: properties count towards the size of a hit', async () => {
  const props = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, 'x'.repeat(500)]))
  expect(await refusedOf(2_000, () => ({ props }))).toBeGreaterThan(500)
})
