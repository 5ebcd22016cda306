import { expect, test } from 'vitest'
import { createLagMeter } from '../../../src/platform/db/lag-meter.ts'

test('lag of a standby: unknown before the primary has answered', () => {
  expect(createLagMeter(2_000).lagOf(5n, 0)).toBe(Number.POSITIVE_INFINITY)
})

test('lag of a standby: the time since the primary was first seen beyond what the standby has replayed', () => {
  const meter = createLagMeter(2_000)
  meter.record(100n, 0)
  meter.record(200n, 250)
  meter.record(300n, 500)
  expect(meter.lagOf(300n, 500)).toBe(0)
  expect(meter.lagOf(250n, 500)).toBe(0)
  expect(meter.lagOf(200n, 600)).toBe(100)
  expect(meter.lagOf(150n, 500)).toBe(250)
  expect(meter.lagOf(50n, 500)).toBe(500)
})

test('lag of a standby: it grows for one that is behind, and for each while the primary does not answer', () => {
  const meter = createLagMeter(2_000)
  for (let at = 0; at <= 60_000; at += 250) meter.record(100n, at)
  expect(meter.lagOf(100n, 60_000)).toBe(0)
  expect(meter.lagOf(99n, 60_000)).toBeGreaterThan(2_000)
  expect(meter.lagOf(500n, 61_000)).toBe(1_000)
  expect(meter.lagOf(500n, 62_500)).toBe(2_500)
})
