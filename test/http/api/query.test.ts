import { expect, test } from 'vitest'
import { z } from 'zod'
import { headerList, pageUrlOf, readQuery } from '../../../src/http/api/query.ts'
import { fieldsOf } from '../../../src/platform/schema/known-fields.ts'

const known = new Set(['a', 'b'])

test.each([
  ['/x', {}],
  ['/x?', {}],
  ['/x?a=1', { a: '1' }],
  ['/x?a=1&b=2', { a: '1', b: '2' }],
  ['/x?a=1&a=2', { a: ['1', '2'] }],
  ['/x?a=', { a: '' }],
  ['/x?a', { a: '' }],
  ['/x?a=b%20c+d', { a: 'b c d' }],
  ['/x?a=1?b=2', { a: '1?b=2' }],
  ['/x?a[contains]=1', { a: { contains: '1' } }],
  ['/x?a%5Bcontains%5D=1', { a: { contains: '1' } }],
  ['/x?a[contains]=1&a[contains]=2&a[is_not]=3', { a: { contains: ['1', '2'], is_not: '3' } }],
  ['/x?a=1&a[contains]=2', { a: { is: '1', contains: '2' } }],
  ['/x?a[contains]=2&a=1', { a: { is: '1', contains: '2' } }],
  ['/x?a[]=1&a[B]=2&a[b][c]=3', { a: { '': '1', B: '2', 'b][c': '3' } }],
])('query string: %s is parsed as %j', (url, input) => {
  expect(readQuery(url, known)).toEqual({ input, ignored: [] })
})

test.each([
  ['/x?c=1&a=1&c=2', ['c']],
  ['/x?__proto__=1&constructor=2', ['__proto__', 'constructor']],
  ['/x?[a]=2&A=3', ['[a]', 'A']],
  ['/x?=1', ['']],
])('query string: %s has the unknown parameters %j', (url, ignored) => {
  expect(readQuery(url, known).ignored).toEqual(ignored)
})

test('X-Ignored-Parameters: it names at most 20 parameters, encoded and truncated', () => {
  expect(headerList(['a b', 'ü', '\r\n', '\ud800'])).toBe('a%20b, %C3%BC, %0D%0A, %EF%BF%BD')
  expect(headerList(['x'.repeat(1000)])).toHaveLength(64)
  expect(headerList(Array.from({ length: 30 }, (_, i) => `p${i}`)).split(', ')).toHaveLength(20)
})

test('fields of a schema: they are found through its wrappers', () => {
  const schema = z.object({ a: z.string(), b: z.string() })
  for (const wrapped of [
    schema,
    schema.optional(),
    schema.prefault({ a: '', b: '' }),
    schema.superRefine(() => {}),
    schema.transform(value => value.a),
  ]) {
    expect(fieldsOf(wrapped)).toEqual(['a', 'b'])
  }
  expect(fieldsOf(z.string())).toEqual([])
})

const BASE = 'https://stats.example.com'

test.each([
  ['/api/x', '/api/x?page=7'],
  ['/api/x?', '/api/x?page=7'],
  ['/api/x?page=3', '/api/x?page=7'],
  ['/api/x?page=', '/api/x?page=7'],
  ['/api/x?page=3&per_page=5', '/api/x?page=7&per_page=5'],
  ['/api/x?a=1&page=3&b=2&page=4', '/api/x?a=1&page=7&b=2'],
  ['/api/x?country=DE&country=FR', '/api/x?country=DE&country=FR&page=7'],
  ['/api/x?path[contains]=/a&path=/b', '/api/x?path%5Bcontains%5D=%2Fa&path=%2Fb&page=7'],
  ['/api/x?path%5Bcontains%5D=%2Fa', '/api/x?path%5Bcontains%5D=%2Fa&page=7'],
  ['/api/x?search=a+b%20c&unknown=%26%3D%23', '/api/x?search=a+b+c&unknown=%26%3D%23&page=7'],
  ['/api/x?search=50%&search=%zz', '/api/x?search=50%25&search=%25zz&page=7'],
  ['/api/x?search=%F0%9F%8D%95?x', '/api/x?search=%F0%9F%8D%95%3Fx&page=7'],
  ['/api/sites/b%C3%BCcher.example/x', '/api/sites/b%C3%BCcher.example/x?page=7'],
  ['/api/sites/a b"/x', '/api/sites/a%20b%22/x?page=7'],
  ['http://proxied.example:81/api/x?a=1', '/api/x?a=1&page=7'],
])('page URL: page 7 of %s is %s', (url, expected) => {
  expect(pageUrlOf(BASE, url)(7)).toBe(BASE + expected)
})

test('page URL: the path of the base URL is kept', () => {
  expect(pageUrlOf(`${BASE}/analytics`, '/api/x?a=1')(2)).toBe(`${BASE}/analytics/api/x?a=1&page=2`)
})
