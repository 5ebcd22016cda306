import { expect, test } from 'vitest'
import { readEnvelope } from '../../../src/ingestion/import/envelope.ts'

const NOW = Date.UTC(2026, 0, 1)
const read = (fields: object) =>
  readEnvelope(Buffer.from(JSON.stringify({ endpoint: 'collect', body: {}, ...fields })), NOW)

test.each([
  ['2024-02-29T12:34:56.789Z', '2024-02-29T12:34:56.789Z'],
  ['2024-02-29T12:34:56Z', '2024-02-29T12:34:56.000Z'],
  ['2024-02-29T12:34Z', '2024-02-29T12:34:00.000Z'],
  ['2024-02-29T12:34:56.7Z', '2024-02-29T12:34:56.700Z'],
  ['2024-02-29T12:34:56.123999Z', '2024-02-29T12:34:56.123Z'],
  ['2024-03-01T00:30:00+05:45', '2024-02-29T18:45:00.000Z'],
  ['2024-02-29T23:30:00-0100', '2024-03-01T00:30:00.000Z'],
  ['2024-02-29T23:30:00+02', '2024-02-29T21:30:00.000Z'],
  ['1990-01-01T00:00:00Z', '1990-01-01T00:00:00.000Z'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
])('import: the timestamp %s is read as %s', (timestamp, expected) => {
  expect(new Date(read({ timestamp }).at).toISOString()).toBe(expected)
})

const notIso = [
  ...['2024-02-30T00:00:00Z', '2024-13-01T00:00:00Z', '2024-00-01T00:00:00Z', '2024-01-00T00:00:00Z'],
  ...['2024-01-01T24:00:00Z', '2024-01-01T12:60:00Z', '2024-01-01T12:00:00', '2024-01-01'],
  ...['2024-01-01 12:00:00 nonsense', '1704067200', ''],
]
test.each([
  ...notIso.map(timestamp => [timestamp, /ISO 8601/] as const),
  ['2026-01-01T00:00:00.001Z', /future/],
  ['9999-01-01T00:00:00Z', /future/],
  ['1989-12-31T23:59:59Z', /1990/],
  ['0000-01-01T00:00:00Z', /1990/],
] as const)('import: the timestamp %j is refused', (timestamp, reason) => {
  expect(() => read({ timestamp })).toThrow(reason)
})

test.each([
  [{ timestamp: undefined }, /timestamp is required/],
  [{ timestamp: 1704067200 }, /timestamp/],
  [{ endpoint: 'nonsense' }, /endpoint must be one of collect, event, engage, ident/],
  [{ body: undefined }, /body is required/],
  [{ ip: 7 }, /ip/],
  [{ user_agent: {} }, /user_agent/],
  [{ location: 'DE' }, /location must be an object/],
  [{ location: { country: 'de' } }, /location.country must be two capital/],
  [{ location: { region: 'Bavaria' } }, /location.region must be an ISO 3166-2/],
  [{ location: { city: 'x'.repeat(101) } }, /location.city must be a name/],
])('import: a line with %j is refused', (fields, reason) => {
  expect(() => read({ timestamp: '2024-01-01T00:00:00Z', ...fields })).toThrow(reason)
})

test('import: address and user agent may be absent, null or empty', () => {
  const timestamp = '2024-01-01T00:00:00Z'
  for (const fields of [{}, { ip: null, user_agent: null }, { ip: '', user_agent: '' }]) {
    expect(read({ timestamp, ...fields }).sender).toEqual({ address: '', userAgent: '' })
  }
})
