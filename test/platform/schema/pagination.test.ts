import { expect, test } from 'vitest'
import { z } from 'zod'
import { integerParameter, pageFields, paginate, windowOf } from '../../../src/platform/schema/pagination.ts'
import { validationError } from '../../../src/platform/schema/validation.ts'

const Query = z.object(pageFields(25))

test.each([
  [{}, 1, 25],
  [{ page: '1', per_page: '1' }, 1, 1],
  [{ page: '40', per_page: '100' }, 40, 100],
  [{ page: '007' }, 7, 25],
  [{ page: 3, per_page: 99 }, 3, 99],
  [{ page: undefined, per_page: undefined }, 1, 25],
  [{ page: '90071992547409' }, 90071992547409, 25],
])('page parameters: %j are read as page %i of %i rows', (given, page, per_page) => {
  expect(Query.parse(given)).toEqual({ page, per_page })
})

const WRONG = ['9'.repeat(400), '1.5', 1.5, '1.0', '', ' 2', '2 ', '+2', '1e3', '0x10', '١', 'x']
const WRONG_TYPES = [['1', '2'], { is: '1' }, null, true, Number.NaN, Number.POSITIVE_INFINITY]
const problemsOf = (given: object) => validationError(Query.safeParse(given).error!).fields

test.each([...WRONG, ...WRONG_TYPES])('page parameters: page %j is refused', page => {
  expect(problemsOf({ page })).toEqual({ page: ['must be an integer'] })
})

test.each([
  ['page', '0', 'must be at least 1'],
  ['page', '-1', 'must be at least 1'],
  ['page', 0, 'must be at least 1'],
  ['page', '90071992547410', 'must be at most 90071992547409'],
  ['per_page', '0', 'must be at least 1'],
  ['per_page', '101', 'must be at most 100'],
  ['per_page', 101, 'must be at most 100'],
])('page parameters: %s %j is refused: %s', (name, value, problem) => {
  expect(problemsOf({ [name]: value })).toEqual({ [name]: [problem] })
})

test('page parameters have the limits of the given range', () => {
  const limit = integerParameter(1, 1000)
  expect(limit.parse('1000')).toBe(1000)
  expect(limit.safeParse('1001').success).toBe(false)
})

test('page parameters give the limit and the offset of the rows', () => {
  expect(windowOf({ page: 1, per_page: 25 })).toEqual({ limit: 25, offset: 0 })
  expect(windowOf({ page: 4, per_page: 10 })).toEqual({ limit: 10, offset: 30 })
  expect(windowOf({ page: 90071992547409, per_page: 100 }).offset).toBe(9007199254740800)
})

test('the envelope has null links when pages have no URL', () => {
  const page = paginate({ pageUrl: () => null }, { page: 2, per_page: 1 }, { rows: ['b'], total: 3 })
  expect(page.links).toEqual({ first: null, last: null, prev: null, next: null })
})
