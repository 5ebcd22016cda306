import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { envelope, integerParameter, pageFields, paginate, windowOf } from '../../src/schema/pagination.ts'
import { validationError } from '../../src/schema/validation.ts'

const Query = z.object(pageFields(25))

describe('page parameters', () => {
  test.each([
    [{}, { page: 1, per_page: 25 }],
    [
      { page: '1', per_page: '1' },
      { page: 1, per_page: 1 },
    ],
    [
      { page: '40', per_page: '100' },
      { page: 40, per_page: 100 },
    ],
    [{ page: '007' }, { page: 7, per_page: 25 }],
    [
      { page: 3, per_page: 99 },
      { page: 3, per_page: 99 },
    ],
    [
      { page: undefined, per_page: undefined },
      { page: 1, per_page: 25 },
    ],
    [{ page: '90071992547409' }, { page: 90071992547409, per_page: 25 }],
  ])('%j are read as %j', (given, expected) => {
    expect(Query.parse(given)).toEqual(expected)
  })

  test.each([
    ['0', 'must be at least 1'],
    ['-1', 'must be at least 1'],
    [0, 'must be at least 1'],
    ['90071992547410', 'must be at most 90071992547409'],
    ['9'.repeat(400), 'must be an integer'],
    ['1.5', 'must be an integer'],
    [1.5, 'must be an integer'],
    ['1.0', 'must be an integer'],
    ['', 'must be an integer'],
    [' 2', 'must be an integer'],
    ['2 ', 'must be an integer'],
    ['+2', 'must be an integer'],
    ['1e3', 'must be an integer'],
    ['0x10', 'must be an integer'],
    ['١', 'must be an integer'],
    ['x', 'must be an integer'],
    [['1', '2'], 'must be an integer'],
    [{ is: '1' }, 'must be an integer'],
    [null, 'must be an integer'],
    [true, 'must be an integer'],
    [Number.NaN, 'must be an integer'],
    [Number.POSITIVE_INFINITY, 'must be an integer'],
  ])('page %j is refused: %s', (page, problem) => {
    const { error } = Query.safeParse({ page })
    expect(validationError(error!).fields).toEqual({ page: [problem] })
  })

  test.each([
    ['0', 'must be at least 1'],
    ['101', 'must be at most 100'],
    [101, 'must be at most 100'],
  ])('per_page %j is refused: %s', (per_page, problem) => {
    const { error } = Query.safeParse({ per_page })
    expect(validationError(error!).fields).toEqual({ per_page: [problem] })
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
})

describe('the envelope of a page', () => {
  const pageUrl = (page: number) => `p${page}`
  const of = (page: number, total: number, per_page = 10) =>
    paginate({ pageUrl }, { page, per_page }, { rows: [], total })

  test.each([
    // page, total, last, prev, next
    [1, 0, 1, null, null],
    [2, 0, 1, 'p1', null],
    [1, 1, 1, null, null],
    [1, 10, 1, null, null],
    [1, 11, 2, null, 'p2'],
    [2, 11, 2, 'p1', null],
    [2, 35, 4, 'p1', 'p3'],
    [3, 35, 4, 'p2', 'p4'],
    [4, 35, 4, 'p3', null],
    [5, 35, 4, 'p4', null],
    [90, 35, 4, 'p4', null],
  ])(
    'the envelope for page %i of %i rows, ten a page, has last page %i, prev %s and next %s',
    (page, total, last, prev, next) => {
      expect(of(page, total)).toEqual({
        data: [],
        links: { first: 'p1', last: `p${last}`, prev, next },
        meta: { current_page: page, per_page: 10, total, last_page: last },
      })
    },
  )

  test('the envelope has null links when pages have no URL', () => {
    const page = paginate({ pageUrl: () => null }, { page: 2, per_page: 1 }, { rows: ['b'], total: 3 })
    expect(page.links).toEqual({ first: null, last: null, prev: null, next: null })
  })

  test('the envelope matches its schema', () => {
    const answer = { ...of(1, 11), data: ['a', 'b'] }
    expect(envelope(z.string()).parse(answer)).toEqual(answer)
    expect(envelope(z.int()).safeParse(answer).success).toBe(false)
  })
})
