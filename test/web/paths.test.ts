import { expect, test } from 'vitest'
import { decodedPath } from '../../src/web/format/names.ts'

test.each([
  ['/%C3%BC', '/ü'],
  ['/%d0%bf%D1%80/a', '/пр/a'],
  ['/a%2Fb%20c', '/a%2Fb%20c'],
  ['/%C3', '/%C3'],
  ['/%E2%80%AEx', '/%E2%80%AEx'],
])('paths: %s is shown as %s', (path, shown) => {
  expect(decodedPath(path)).toBe(shown)
})
