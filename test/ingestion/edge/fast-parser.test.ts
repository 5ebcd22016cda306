import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FAST_PARSERS } from '../../../src/ingestion/edge/fast-parser.ts'
import { KEYED_SCHEMAS } from '../../../src/ingestion/edge/hit-schema.ts'
import { runs } from '../../support/runs.ts'

const KEY = '5C7F5A52-3c0b-4c39-9e0e-7f6b0a6f2d11'

/** Bodies as the tracker and typical backends send them. */
const USUAL_BODIES = {
  collect: {
    ...{ key: KEY, hostname: 'example.com', visitor_id: '0197F2A0-0000-7000-8000-000000000000' },
    ...{ new_visitor_id: null, language: 'en-GB', os: 'Linux', os_version: '', device: 'desktop' },
    url: { path: '/pricing?utm_source=newsletter', title: 'Pricing – Ünïcode 🙂' },
    referrer: 'https://news.ycombinator.com/',
    screen: { width: 1920, height: 1080 },
    browser: { name: 'Firefox', version: '140.0' },
    properties: { plan: 'team', seats: 5, isTrial: false, none: null },
  },
  event: {
    ...{ key: KEY, hostname: 'example.com', name: 'purchase', url: { path: '/checkout' } },
    ...{ properties: { plan: 'team' }, revenue: { amount: 49.99, currency: 'USD' } },
  },
  engage: { key: KEY, hostname: 'example.com', url: { path: '/' }, sd: 180, time: 15_000 },
}
type Name = keyof typeof USUAL_BODIES
const NAMES = Object.keys(USUAL_BODIES) as Name[]

const long = (length: number) => fc.constant('é'.repeat(length))
const text = fc.oneof(
  fc.string({ maxLength: 10 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom('', ' ', '\0', 'a\0b', '\ud800', 'mobile', 'Desktop', KEY, `${KEY} `, `{${KEY}}`),
  ...[35, 36, 50, 51, 64, 65, 255, 256, 500, 501, 512, 513, 2_048, 2_049].map(long),
  fc.constant('🙂'.repeat(40)),
)
const scalar = fc.oneof(
  text,
  fc.constantFrom(undefined, null, true, 0, -0, -1, 1.5, 65_535, 65_536, 100, 101, 2 ** 32, 2 ** 53, 1e300),
)
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.oneof(text, fc.constantFrom('path', 'title', 'width', 'name', '__proto__')), scalar, {
    maxKeys: 4,
  }),
  fc.constant(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, index]))),
)

/** A usual body with up to three changes: in its fields, in the fields of its objects, or in unknown fields. */
const almostUsual = fc.constantFrom(...NAMES).chain(endpoint => {
  const body: Record<string, unknown> = USUAL_BODIES[endpoint]
  const paths = Object.entries(USUAL_BODIES.collect).flatMap(([name, field]) => [
    [name],
    ...(typeof field === 'object' ? Object.keys(field ?? {}).map(inner => [name, inner]) : []),
  ])
  const change = fc.tuple(
    fc.constantFrom(...paths, ['sd'], ['time'], ['name'], ['$'], ['error'], ['x']),
    value,
  )
  return fc.array(change, { maxLength: 3 }).map(changes => {
    const changed = structuredClone(body)
    for (const [[name, inner], to] of changes) {
      const outer = changed[name!]
      const set = structuredClone(to)
      if (inner === undefined) changed[name!] = set
      else if (typeof outer === 'object' && outer !== null) (outer as Record<string, unknown>)[inner] = set
    }
    return { endpoint, body: asSent(changed) }
  })
})

/** Converts a value to JSON and back, because a request carries only JSON values. */
const asSent = (body: unknown): unknown => JSON.parse(JSON.stringify(body))

test.each(NAMES)('fast parser: it reads a usual body of %s', endpoint => {
  expect(FAST_PARSERS[endpoint](asSent(USUAL_BODIES[endpoint]))).toBeDefined()
})

test('fast parser: it reads the same values as the schemas', () => {
  let taken = 0
  fc.assert(
    fc.property(almostUsual, ({ endpoint, body }) => {
      const input = FAST_PARSERS[endpoint](body)
      if (input === undefined) return
      taken += 1
      expect(KEYED_SCHEMAS[endpoint].safeParse(body)).toEqual({ success: true, data: input })
    }),
    { numRuns: runs(5_000) },
  )
  expect(taken).toBeGreaterThan(runs(1_000))
})

test.each([[undefined], [null], ['text'], [7], [[]], [[USUAL_BODIES.collect]]])(
  'fast parser: a body that is not an object (%#) is left to the schema',
  body => {
    for (const endpoint of NAMES) expect(FAST_PARSERS[endpoint](body)).toBeUndefined()
  },
)
