import { v5 } from 'uuid'
import { describe, expect, test } from 'vitest'
import {
  errorFingerprint,
  recountError,
  recountErrorSeries,
  recountErrors,
  recountOccurrences,
} from './recount-errors.ts'
import { event, nextDay, thatDay, view, worldWith } from './sent-hits.ts'

const siteId = '0b5ce2b1-6f0e-4a3c-9d0f-1a2b3c4d5e6f'

const typeError = { errorName: 'TypeError', errorMessage: 'x is not a function' }
const nextDaysError = event(725, 'error', typeError)

// Midnight is 720 minutes after noon.
const world = worldWith([
  view(0),
  event(1, 'error', { errorMessage: 'x is not a function' }),
  event(2, 'error', typeError),
  event(3, 'error', { visitor: 'v2', errorName: 'RangeError' }),
  event(4, 'error', { visitor: 'v3' }),
  view(710),
  nextDaysError,
])

describe('errors', () => {
  test('recounted errors are grouped by message and named after the newest occurrence', () => {
    const range = {
      message: 'RangeError',
      error_name: 'RangeError',
      occurrences: 1,
      sessions: 1,
      visitors: 1,
    }
    const plain = { message: 'Error', error_name: 'Error', occurrences: 1, sessions: 1, visitors: 1 }
    const groups = recountErrors(world, siteId, thatDay)
    expect(groups[0]).toEqual({
      id: errorFingerprint(siteId, 'x is not a function'),
      message: 'x is not a function',
      error_name: 'TypeError',
      occurrences: 2,
      // The second one's error comes after midnight.
      sessions: 2,
      visitors: 1,
    })
    const byId = [range, plain]
      .map(group => ({ id: errorFingerprint(siteId, group.message), ...group }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(groups.slice(1)).toEqual(byId)
  })

  test('an error without an occurrence in the range can be read, but is not in the recounted list', () => {
    expect(recountError(world, siteId, 'RangeError', nextDay)).toMatchObject({
      error_name: 'RangeError',
      occurrences: 0,
      sessions: 0,
    })
    expect(recountErrors(world, siteId, nextDay)).toMatchObject([{ occurrences: 1, sessions: 0 }])
    expect(() => recountError(world, siteId, 'never', thatDay)).toThrow('never')
  })

  test('over time, and one by one', () => {
    const { series, types, labels } = recountErrorSeries(world, 'x is not a function', thatDay)
    expect(types).toEqual(['error'])
    expect(labels).toHaveLength(24)
    expect(series.error).toEqual([...Array(12).fill(0), 2, ...Array(11).fill(0)])
    expect(recountOccurrences(world, 'x is not a function', nextDay)).toMatchObject([
      { id: nextDaysError.id, event_type: 'error', event_name: 'TypeError' },
    ])
  })

  test('recounted errors have a UUIDv5 of site and message for an id', () => {
    for (const message of ['x', 'Größe 🙂', ''])
      expect(errorFingerprint(siteId, message)).toBe(v5(message, siteId))
  })
})
