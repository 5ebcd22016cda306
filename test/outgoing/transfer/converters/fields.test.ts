import { expect, test } from 'vitest'
import { readBody, readKeyedBody } from '../../../../src/ingestion/edge/read-body.ts'
import { Identified } from '../../../../src/outgoing/transfer/converters/fields/identified.ts'
import { readPage, withTags } from '../../../../src/outgoing/transfer/converters/fields/page.ts'
import { readPlace } from '../../../../src/outgoing/transfer/converters/fields/place.ts'
import { readProperties } from '../../../../src/outgoing/transfer/converters/fields/properties.ts'
import { LIMITS, plainNumber, Texts } from '../../../../src/outgoing/transfer/converters/fields/texts.ts'
import { unixTime, validTime } from '../../../../src/outgoing/transfer/converters/fields/times.ts'

const hostname = 'example.com'
const long = (length: number) => '💶'.repeat(length)

test('limits: a body may have texts of this length, and no longer ones', () => {
  const url = { path: '/' }
  const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, key) => [key, 1]))
  const bodies: [keyof typeof LIMITS, (length: number) => object][] = [
    ['path', length => ({ url: { path: long(length) } })],
    ['title', length => ({ url: { path: '/', title: long(length) } })],
    ['referrer', length => ({ url, referrer: long(length) })],
    ['hostname', length => ({ url, hostname: long(length) })],
    ['system', length => ({ url, os: long(length) })],
    ['language', length => ({ url, language: long(length) })],
    ['propertyKey', length => ({ url, properties: { [long(length)]: 1 } })],
    ['propertyValue', length => ({ url, properties: { a: long(length) } })],
    ['properties', length => ({ url, properties: many(length) })],
    ['name', length => ({ name: long(length) })],
  ]
  for (const [limit, bodyOf] of bodies) {
    const read = (length: number) =>
      readBody(limit === 'name' ? 'event' : 'collect', { hostname, ...bodyOf(length) })
    expect(() => read(LIMITS[limit]), limit).not.toThrow()
    expect(() => read(LIMITS[limit] + 1), limit).toThrow()
  }
})

test('engagement: only an import may leave out the scroll depth', () => {
  const body = { hostname, url: { path: '/' }, time: 5 }
  expect(readBody('engage', body).hit).toMatchObject({ engagedMs: 5, scroll: undefined })
  const key = '5c7f5a52-3c0b-4c39-9e0e-7f6b0a6f2d11'
  expect(() => readKeyedBody('engage', { key, ...body })).toThrow('sd must be an integer from 0 to 100')
})

test('texts: what is cut is reported once a row', () => {
  const texts = new Texts()
  expect(texts.read('💶💶💶', 2, 'title')).toBe('💶💶')
  expect(texts.read('abc', 2, 'title')).toBe('ab')
  expect(texts.read(' \0 ', 2, 'title')).toBeUndefined()
  expect([...texts.taken()]).toEqual([{ part: 'title cut to 2 characters' }])
  expect([...texts.taken()]).toEqual([])
})

test('page: host and path of an address, without port, user and fragment', () => {
  const page = (address: unknown) => readPage(address, new Texts())
  const address = 'https://user:pw@Example.COM:8080/a?b=c#d'
  expect(page(address)).toEqual({ hostname: 'example.com', path: '/a?b=c' })
  expect(page('//example.com.?a')).toEqual({ hostname: 'example.com', path: '/?a' })
  expect(page('a/b#c')).toEqual({ hostname: undefined, path: '/a/b' })
  expect(page('/a:b')).toEqual({ hostname: undefined, path: '/a:b' })
  for (const address of ['', null, {}, 'android-app://com.slack/', 'about:blank', 'file:///etc'])
    expect(page(address), String(address)).toBeUndefined()
})

test('page: tags are added to the query, and make room for themselves', () => {
  const texts = new Texts()
  const tags = { utm_source: 'a b', utm_medium: '', ref: undefined, gclid: 'x' }
  expect(withTags('/p', tags, texts)).toBe('/p?utm_source=a+b&gclid=x')
  expect(withTags('/p?UTM_Source=own&c=d', tags, texts)).toBe('/p?UTM_Source=own&c=d&gclid=x')
  expect(withTags('/p?c=d', {}, texts)).toBe('/p?c=d')
  expect([...texts.taken()]).toEqual([])
  const full = withTags(`/p?c=${'x'.repeat(2_040)}`, { utm_source: 's' }, texts)
  expect(full).toHaveLength(2_048)
  expect(full).toMatch(/^\/p\?utm_source=s&c=x+$/)
  expect(withTags(`/${'x'.repeat(2_047)}`, { utm_source: 's' }, texts)).toHaveLength(2_048)
  expect([...texts.taken()]).toEqual([{ part: 'address of the page cut to 2048 characters' }])
})

test('properties: values become texts, and the first fifty are kept', () => {
  const texts = new Texts()
  const given: [string, unknown][] = [
    ...Object.entries({ a: 1, b: true, c: { d: [1] }, e: null, f: Number.NaN, '': 'x', empty: '' }),
    ['__proto__', 'x'],
  ]
  expect(readProperties(given, texts)).toEqual({ a: '1', b: 'true', c: '{"d":[1]}', empty: '' })
  expect(readProperties([], texts)).toBeUndefined()
  const many = Array.from({ length: 60 }, (_, key) => [`k${key}`, key] as const)
  expect(Object.keys(readProperties(many, texts)!)).toHaveLength(50)
  expect([...texts.taken()]).toEqual([{ part: 'properties beyond 50' }])
})

test('place: only codes that the import takes', () => {
  const oakland = { country: 'US', region: 'US-CA', city: 'Oakland' }
  expect(readPlace({ country: 'us', region: 'ca', city: ' Oakland ' })).toEqual(oakland)
  expect(readPlace({ country: 'uk', region: 'UK-ENG' })).toEqual({ country: 'GB', region: 'GB-ENG' })
  expect(readPlace({ country: 'DE', region: 'US-CA' })).toEqual({ country: 'DE' })
  expect(readPlace({ country: 'A1', region: 'x', city: '(not set)' })).toBeUndefined()
  expect(readPlace({ city: '\u0000\u0001' })).toBeUndefined()
})

test('numbers and times: the unit of a time follows from its size', () => {
  expect(plainNumber(' 1.5 ')).toBe(1.5)
  for (const value of ['', '1,5', '0x10', 'Infinity', '1e999', null])
    expect(plainNumber(value)).toBeUndefined()
  for (const value of [1_700_000_000, 1_700_000_000_000, 1_700_000_000_000_000, 1_700_000_000_000_000_000])
    expect(unixTime(value)).toBe(1_700_000_000_000)
  expect(validTime(unixTime(1))).toBeUndefined()
  expect(validTime(Date.UTC(2100, 0, 1))).toBeUndefined()
})

test('identified: once a session of a visitor, and again for another user', () => {
  const identified = new Identified()
  const minute = 60_000
  expect(identified.isDue('v', 'ada', 0)).toBe(true)
  expect(identified.isDue('v', 'ada', 29 * minute)).toBe(false)
  expect(identified.isDue('v', 'ada', 58 * minute)).toBe(false)
  expect(identified.isDue('v', 'ada', 89 * minute)).toBe(true)
  expect(identified.isDue('v', 'bob', 90 * minute)).toBe(true)
  expect(identified.isDue('w', 'bob', 90 * minute)).toBe(true)
})
