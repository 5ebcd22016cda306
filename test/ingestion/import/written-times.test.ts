import { expect, test } from 'vitest'
import { createWrittenTimes } from '../../../src/ingestion/import/written-times.ts'
import type { Written } from '../../../src/storage/rollups/keep-refreshed.ts'

test('import: the progress is that of the slowest partition', () => {
  const told: Written[] = []
  const record = createWrittenTimes(written => told.push(written))
  const at = (...times: number[]) => times.map(time => ({ at: time }))
  record(0, at(10, 20))
  record(1, at(12, 40))
  record(3, at(11))
  expect(told.at(-1)).toEqual({ from: 10, to: 40, until: Number.NEGATIVE_INFINITY })
  record(2, at(15, 30))
  expect(told.at(-1)).toEqual({ from: 10, to: 40, until: 11 })
  record(3, at(50))
  expect(told.at(-1)).toEqual({ from: 10, to: 50, until: 20 })
  // A line out of time order.
  record(0, at(5, 60))
  expect(told.at(-1)).toEqual({ from: 5, to: 60, until: 30 })
})
