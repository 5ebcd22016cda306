import { expect, test } from 'vitest'
import { readableLine } from '../../scripts/readable-log.ts'

const entry = { level: 30, time: '2026-03-01T10:04:05.120Z', pid: 7, role: 'http', msg: 'request' }

test.each([
  [
    'a log line',
    JSON.stringify({ ...entry, ms: 3, route: '/' }),
    '10:04:05.120 http info request ms=3 route="/"',
  ],
  [
    'an error with its stack',
    JSON.stringify({ ...entry, level: 50, error: { message: 'no', stack: 'Error: no\n    at x' } }),
    '10:04:05.120 http ERROR request\nError: no\n    at x',
  ],
  [
    'an error without a stack',
    JSON.stringify({ ...entry, error: 'no' }),
    '10:04:05.120 http info request error="no"',
  ],
  ['a text', 'Restarting', 'Restarting'],
  ['JSON that is no log line', '{"a":1}', '{"a":1}'],
])('readable log: %s', (_, line, readable) => {
  expect(readableLine(line)).toBe(readable)
})
