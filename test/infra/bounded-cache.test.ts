import { expect, test } from 'vitest'
import { BoundedCache } from '../../src/infra/bounded-cache.ts'

test('bounded cache: an entry is gone at the instant it expires', () => {
  const cache = new BoundedCache<string>(100)
  cache.set('a', 'A', { bytes: 1, expiresAt: 10 })
  expect(cache.get('a', 9)).toBe('A')
  expect(cache.get('a', 10)).toBeUndefined()
  expect(cache.get('b', 0)).toBeUndefined()
})

test('bounded cache: the least recently used entries are removed first', () => {
  const cache = new BoundedCache<string>(30)
  for (const key of ['a', 'b', 'c']) cache.set(key, key, { bytes: 10, expiresAt: 1 })
  cache.get('a', 0)
  cache.set('d', 'd', { bytes: 11, expiresAt: 1 })
  expect(['a', 'b', 'c', 'd'].map(key => cache.get(key, 0))).toEqual(['a', undefined, undefined, 'd'])
})

test('bounded cache: a replaced entry weighs once, and an entry above the bound is not kept', () => {
  const cache = new BoundedCache<string>(10)
  for (let times = 0; times < 5; times++) cache.set('a', 'A', { bytes: 6, expiresAt: 1 })
  cache.set('b', 'B', { bytes: 4, expiresAt: 1 })
  expect([cache.get('a', 0), cache.get('b', 0)]).toEqual(['A', 'B'])
  cache.set('c', 'C', { bytes: 11, expiresAt: 1 })
  expect(['a', 'b', 'c'].map(key => cache.get(key, 0))).toEqual(['A', 'B', undefined])
  cache.set('a', 'larger', { bytes: 11, expiresAt: 1 })
  expect(['a', 'b'].map(key => cache.get(key, 0))).toEqual([undefined, 'B'])
  cache.set('d', 'as large as can be', { bytes: 10, expiresAt: 1 })
  expect(['b', 'd'].map(key => cache.get(key, 0))).toEqual([undefined, 'as large as can be'])
})
