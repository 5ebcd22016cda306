import { expect, test } from 'vitest'
import { newHitId } from '../../../src/ingestion/edge/hit-id.ts'

const NOON = Date.UTC(2026, 2, 10, 12)
const MIDNIGHT = Date.UTC(2026, 2, 11)

test('hit ids: ids of one millisecond are unique and in call order', () => {
  const ids = Array.from({ length: 5_000 }, () => newHitId(NOON))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('hit ids: an id is a UUIDv7 that contains only the UTC day, so that the columnstore compresses it', () => {
  const times = [MIDNIGHT - 1, MIDNIGHT, NOON + 86_400_000]
  for (const at of times)
    expect(newHitId(at)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const said = times.map(at => Number.parseInt(newHitId(at).replace('-', '').slice(0, 12), 16))
  expect(said).toEqual([MIDNIGHT - 86_400_000, MIDNIGHT, MIDNIGHT])
})
