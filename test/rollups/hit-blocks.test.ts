import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HitBlocks } from '../../src/rollups/live-tail/hit-blocks.ts'
import { seeded } from '../support/runs.ts'

/** More than three blocks of hits, a tenth of a second after each other; some came late. */
const hitTimes = fc
  .array(fc.record({ row: fc.nat(14_999), lateMs: fc.nat(600_000) }), { maxLength: 20 })
  .map(late => {
    const times = Float64Array.from({ length: 15_000 }, (_, row) => row * 100)
    for (const { row, lateMs } of late) times[row] = Math.max(0, times[row]! - lateMs)
    return times
  })

test('hit blocks: ranges contain every hit of a window once, also after rows have moved, and few others', () => {
  const property = fc.property(
    hitTimes,
    fc.nat(1_500_000),
    fc.nat(400_000),
    fc.nat(15_000),
    (times, start, length, after) => {
      const end = start + length
      const added = new HitBlocks()
      for (const [row, at] of times.entries()) added.add(row, at)
      const kept = times.filter((_, row) => row % 3 > 0)
      const moved = new HitBlocks()
      moved.replace(times)
      moved.replace(kept)
      for (const [blocks, held] of [
        [added, times],
        [moved, kept],
      ] as const) {
        const first = Math.min(after, held.length)
        const rows = blocks.rangesOf({ first, end: held.length }, start, end).flatMap(({ from, to }) => {
          expect(from).toBeGreaterThanOrEqual(first)
          expect(from).toBeLessThan(to)
          expect(to).toBeLessThanOrEqual(held.length)
          return Array.from({ length: to - from }, (_, index) => from + index)
        })
        expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b))
        const found = rows.filter(row => held[row]! >= start && held[row]! < end)
        expect(found.length).toBe(held.subarray(first).filter(at => at >= start && at < end).length)
      }
    },
  )
  fc.assert(property, { seed: seeded(1), numRuns: 60 })
  const blocks = new HitBlocks()
  for (let row = 0; row < 15_000; row++) blocks.add(row, row)
  expect(blocks.rangesOf({ first: 0, end: 15_000 }, 14_000, 14_100)).toEqual([{ from: 12_288, to: 15_000 }])
  expect(blocks.rangesOf({ first: 0, end: 15_000 }, 20_000, 30_000)).toEqual([])
})
