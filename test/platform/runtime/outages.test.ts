import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createOutages } from '../../../src/platform/runtime/outages.ts'
import { recordingLog } from '../../support/recording-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const started = () => {
  const { log, lines } = recordingLog()
  return { outages: createOutages(log, 'requests could not be served'), lines }
}

test('an outage is a line when it begins, one a minute with its count, and one when it is over', () => {
  const { outages, lines } = started()
  for (let second = 0; second < 90; second++) {
    for (let times = 0; times < 50; times++)
      outages.failed('Redis is away', { requestId: `${second}-${times}` })
    vi.advanceTimersByTime(1_000)
  }
  expect(lines).toMatchObject([
    { level: 40, msg: 'requests could not be served', reason: 'Redis is away', requestId: '0-0' },
    { level: 40, msg: 'requests could not be served: it goes on', reason: 'Redis is away', count: 2_999 },
  ])
  vi.advanceTimersByTime(15_000)
  expect(lines.slice(2)).toMatchObject([
    { level: 30, msg: 'requests could not be served: over', count: 4_500, seconds: 89 },
  ])
  expect(vi.getTimerCount()).toBe(0)
  outages.failed('Redis is away')
  expect(lines).toHaveLength(4)
})

test('an outage ends at once where that is known; reasons are told apart, up to twenty', () => {
  const { outages, lines } = started()
  for (let reason = 0; reason < 30; reason++) outages.failed(`reason ${reason}`)
  expect(lines.map(({ reason }) => reason)).toEqual([
    ...Array.from({ length: 20 }, (_, index) => `reason ${index}`),
    'other reasons',
  ])
  outages.over()
  expect(lines).toHaveLength(42)
  expect(lines.at(-1)).toMatchObject({ reason: 'other reasons', count: 10 })
  expect(vi.getTimerCount()).toBe(0)
})
