import { expect, test } from 'vitest'
import { pageIn } from '../../src/web/state/address.ts'
import { filtersIn, inputOf } from '../../src/web/state/filters.ts'
import { isDay } from '../../src/web/state/period.ts'
import { ownPath } from '../../src/web/state/places.ts'

const params = (query: string) => new URLSearchParams(query)

test.each([
  ...['__proto__[is]=x', '__proto__=x', '__proto__[contains]=x', 'constructor=x', 'toString=x'],
  ...['hasOwnProperty[is_not]=x', 'path[__proto__]=x', 'path[constructor]=x', 'path[is][is]=x'],
  'siteKey=other',
])('filters of an address: %s is none', query => {
  expect(filtersIn(params(query))).toEqual([])
})

test('filters of an address: those of the API are read, and nothing else gets into the input of a read', () => {
  const filters = filtersIn(params('path=/a&__proto__[is]=x&path[contains]=b&constructor=y'))
  const input = inputOf(filters)
  expect(input).toEqual({ path: { is: ['/a'], contains: ['b'] } })
  expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
})

test('days of an address', () => {
  const days = ['2024-02-29', '2026-01-01', '2026-12-31']
  const others = ['x', '2026-99-99', '2026-02-29', '2026-2-1', '2026-01-01T00:00:00Z', '26-01-01']
  expect([null, '', ...days, ...others].filter(isDay)).toEqual(days)
})

test.each([
  ['', 1],
  ['page=3', 3],
  ['page=-1', 1],
  ['page=0', 1],
  ['page=1.5', 1],
  ['page=1e308', 1],
  ['page=Infinity', 1],
  ['page=x', 1],
])('page of an address: %s', (query, page) => {
  expect(pageIn(params(query))).toBe(page)
})

test.each(['/', '/sites/a.example?range=all&path[contains]=%2Fa', '/account/devices', '/invite#secret'])(
  'return address: %s leads to a page of the service',
  path => {
    expect(ownPath(path)).toBe(path)
  },
)

test.each([
  ...[null, '', 'sites', '//evil.example', '/\\evil.example', 'https://evil.example'],
  ...['javascript:alert(1)', '/\tevil', '/a\nb', '/ä'],
])('return address: %j leads to the first page', path => {
  expect(ownPath(path)).toBe('/')
})
