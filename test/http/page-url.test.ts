import { expect, test } from 'vitest'
import { pageUrlOf } from '../../src/http/api/query.ts'

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
