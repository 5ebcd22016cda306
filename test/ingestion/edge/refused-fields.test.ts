import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { ENDPOINTS, type Endpoint, readKeyedBody } from '../../../src/ingestion/edge/read-body.ts'
import type { AppError } from '../../../src/platform/errors.ts'

const UUID = '5c7f5a52-3c0b-4c39-9e0e-7f6b0a6f2d11'
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [index, 1]))

/** Values that a field of each kind refuses. */
const WRONG = {
  uuid: [5, true, [], {}, '', 'x', `${UUID}0`, ` ${UUID}`, UUID.replaceAll('-', '')],
  text: [5, true, [], ['x'], {}],
  integer: ['5', 'x', true, [], {}, 1.5, 1e-9, -1, -0.5, Number.POSITIVE_INFINITY],
  pixels: ['5', true, 1.5, -1, 65_536],
  milliseconds: ['5', true, 1.5, -1, 4_294_967_296],
  object: [5, 'x', true, ['x']],
  url: [5, true, [], {}, 'no url', 'javascript:alert(1)', 'http://[::bad'],
  device: [5, [], {}, '', 'watch', 'Desktop', 'desktop '],
  properties: [
    ...[5, 'x', true, ['x'], keys(51), keys(20_000), { ['k'.repeat(65)]: 'v' }, { '': 'x' }, { '\0': 'x' }],
    ...[{ k: 'v'.repeat(501) }, { k: { a: 1 } }, { k: ['a'] }, { k: Number.POSITIVE_INFINITY }],
    JSON.parse('{"k":{"__proto__":{"a":1}}}'),
  ],
}
type Fields = Record<string, keyof typeof WRONG>

const sender: Fields = { visitor_id: 'uuid', new_visitor_id: 'uuid' }
const page: Fields = { url: 'object', 'url.path': 'text' }
const context: Fields = {
  ...{ properties: 'properties', referrer: 'text', language: 'text', os: 'text', os_version: 'text' },
  ...{ screen: 'object', 'screen.width': 'pixels', 'screen.height': 'pixels', device: 'device' },
  ...{ browser: 'object', 'browser.name': 'text', 'browser.version': 'text', 'url.title': 'text' },
}
const OPTIONAL: Record<Endpoint, Fields> = {
  collect: { ...sender, ...context },
  event: { ...sender, ...context, ...page },
  engage: { ...sender, 'url.title': 'text' },
  identify: { ...sender, name: 'text', avatar: 'url', custom: 'properties' },
  'web-vitals': { ...sender, 'url.title': 'text' },
}
const REQUIRED: Record<Endpoint, Fields> = {
  collect: page,
  event: { name: 'text' },
  engage: { ...page, sd: 'integer', time: 'milliseconds' },
  identify: { identifier: 'text' },
  'web-vitals': { ...page, id: 'uuid' },
}
const identity: Fields = { key: 'uuid', hostname: 'text' }

const url = { path: '/' }
const VALID: Record<Endpoint, object> = {
  collect: { url },
  event: { name: 'signup', url },
  engage: { url, sd: 10, time: 100 },
  identify: { identifier: 'user-1' },
  'web-vitals': { url, id: UUID, lcp: 1 },
}

/** Most characters, each of two UTF-16 units and four bytes. */
const LONGEST: Record<string, number> = {
  ...{ hostname: 255, name: 255, identifier: 255, avatar: 255, referrer: 2_048, language: 35 },
  ...{
    'url.path': 2_048,
    'url.title': 512,
    os: 50,
    os_version: 50,
    'browser.name': 50,
    'browser.version': 50,
  },
}

/** The body with the value at a dotted path. */
function withField(body: object, path: string, value: unknown): Record<string, unknown> {
  const [key = '', ...rest] = path.split('.')
  const copy = { ...body } as Record<string, unknown>
  copy[key] = rest.length > 0 ? withField((copy[key] ?? {}) as object, rest.join('.'), value) : value
  return copy
}

/** What is said of each field when a body is refused; of properties, without what is wrong inside of them. */
function refusalOf(endpoint: Endpoint, path: string, value: unknown): Record<string, string[]> | undefined {
  const valid = { key: UUID, hostname: 'example.com', ...VALID[endpoint] }
  try {
    readKeyedBody(endpoint, withField(valid, path, value))
    return undefined
  } catch (error) {
    const { code, fields } = error as AppError
    expect(code, String(error)).toBe('validation_failed')
    const named = Object.entries(fields!)
    return Object.fromEntries(
      named.map(([field, said]) => [field.replace(/^(properties|custom)\..*/, '$1'), said]),
    )
  }
}

test.each(ENDPOINTS)('fields of %s: each that is wrong is refused by its name', endpoint => {
  for (const [fields, absent] of [
    [OPTIONAL[endpoint], []],
    [{ ...identity, ...REQUIRED[endpoint] }, [undefined, null]],
  ] as const)
    for (const [path, kind] of Object.entries(fields))
      for (const value of [...absent, ...WRONG[kind]])
        expect(
          Object.keys(refusalOf(endpoint, path, value) ?? {}),
          `${path}: ${inspect(value).slice(0, 50)}`,
        ).toEqual([path])
})

test.each(ENDPOINTS)('fields of %s: those that are optional can be null, also in objects', endpoint => {
  for (const path of Object.keys(OPTIONAL[endpoint]))
    for (const value of [null, undefined]) expect(refusalOf(endpoint, path, value), path).toBeUndefined()
})

test.each(ENDPOINTS)('fields of %s: a text that is one character too long is refused', endpoint => {
  const fields = { hostname: 'text', ...OPTIONAL[endpoint], ...REQUIRED[endpoint] }
  for (const path of Object.keys(fields).filter(path => LONGEST[path])) {
    const max = LONGEST[path]!
    const start = path === 'avatar' ? 'https://' : ''
    const long = (length: number) => start + '𝒳'.repeat(length - start.length)
    expect(refusalOf(endpoint, path, long(max)), path).toBeUndefined()
    const said = { [path]: expect.arrayContaining([`must be at most ${max} characters`]) }
    expect(refusalOf(endpoint, path, long(max + 1)), path).toEqual(said)
  }
})

test.each([
  ['collect', 'properties'],
  ['event', 'properties'],
  ['identify', 'custom'],
] as const)('fields of %s: %s may have 50 keys of 64 characters with values of 500', (endpoint, field) => {
  const entry = (index: number) => ['𝒳'.repeat(62) + (10 + index), '𝒳'.repeat(500)]
  const most = Object.fromEntries(Array.from({ length: 50 }, (_, index) => entry(index)))
  expect(refusalOf(endpoint, field, most)).toBeUndefined()
  for (const beyond of [{ ['𝒳'.repeat(65)]: 1 }, { a: '𝒳'.repeat(501) }])
    expect(Object.keys(refusalOf(endpoint, field, beyond)!)).toEqual([field])
})

test('fields: integers are taken up to their limits', () => {
  for (const [endpoint, path, value] of [
    ...['screen.width', 'screen.height'].flatMap(path => [0, 65_535].map(value => ['collect', path, value])),
    ...[0, 4_294_967_295].map(value => ['engage', 'time', value]),
    ...[0, 100, 101, 1e300].map(value => ['engage', 'sd', value]),
  ] as [Endpoint, string, number][])
    expect(refusalOf(endpoint, path, value), `${path}: ${value}`).toBeUndefined()
  expect(
    readKeyedBody('engage', withField({ ...VALID.engage, key: UUID, hostname: 'a' }, 'sd', 101)),
  ).toMatchObject({
    content: { hit: { scroll: 100 } },
  })
})

test.each([null, true, 1, 'x', [], [{}], {}])('fields: the body %j is refused', body => {
  for (const endpoint of ENDPOINTS)
    expect(() => readKeyedBody(endpoint, body)).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    )
})
