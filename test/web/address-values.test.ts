import { describe, expect, test } from 'vitest'
import { filtersIn, inputOf } from '../../src/web/state/filters.ts'
import { pageIn } from '../../src/web/state/page.ts'
import { periodIn } from '../../src/web/state/period.ts'

const params = (query: string) => new URLSearchParams(query)

describe('filters of an address', () => {
  test.each([
    '__proto__[is]=x',
    '__proto__=x',
    '__proto__[contains]=x',
    'constructor=x',
    'toString=x',
    'hasOwnProperty[is_not]=x',
    'path[__proto__]=x',
    'path[constructor]=x',
    'path[is][is]=x',
    'siteKey=other',
  ])('%s is none', query => {
    expect(filtersIn(params(query))).toEqual([])
  })

  test('those of the API are read, and nothing else gets into the input of a read', () => {
    const filters = filtersIn(params('path=/a&__proto__[is]=x&path[contains]=b&constructor=y'))
    const input = inputOf(filters)
    expect(input).toEqual({ path: { is: ['/a'], contains: ['b'] } })
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
  })
})

describe('period of an address', () => {
  test.each([
    'range=foo',
    'range=__proto__',
    'range=constructor',
    'from=2026-99-99&to=2026-99-99',
    'from=2026-02-30&to=2026-03-01',
    'from=2026-02-01',
    'from=x&to=y',
  ])('%s is the usual one', query => {
    expect(periodIn(params(query))).toEqual({
      range: 'last_30_days',
      compare: 'previous',
      matchWeekday: false,
    })
  })

  test.each([
    'compare=__proto__',
    'compare=custom',
    'compare=custom&compare_from=x&compare_to=y',
    'compare=custom&compare_from=2026-02-30&compare_to=2026-03-01',
  ])('%s compares with the period before', query => {
    expect(periodIn(params(`range=today&${query}`))).toMatchObject({ range: 'today', compare: 'previous' })
  })

  test('days of the calendar are taken', () => {
    expect(
      periodIn(
        params('from=2024-02-29&to=2024-03-01&compare=custom&compare_from=2023-01-01&compare_to=2023-01-31'),
      ),
    ).toEqual({
      range: { from: '2024-02-29', to: '2024-03-01' },
      compare: 'custom',
      compareFrom: '2023-01-01',
      compareTo: '2023-01-31',
      matchWeekday: false,
    })
  })
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
