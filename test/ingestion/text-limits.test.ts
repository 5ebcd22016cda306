import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeHit } from '../../src/ingestion/edge/accept.ts'
import { newHitId } from '../../src/ingestion/edge/hit-id.ts'
import { type Endpoint, readBody, readKeyedBody } from '../../src/ingestion/edge/read-body.ts'
import type { Hit } from '../../src/ingestion/hit.ts'
import { enrich } from '../../src/ingestion/stages/index.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { sharedDatabase, type TestDatabase } from '../support/database.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const NOW = Date.UTC(2026, 2, 10, 12)
const VISITOR = '00000000-0000-4000-8000-00000000000a'

let database: TestDatabase

beforeAll(async () => {
  database = await sharedDatabase()
})
afterAll(() => database.close())

type Json = Record<string, unknown>

const BODIES: Record<Endpoint, Json> = {
  collect: { hostname: 'example.com', url: { path: '/' } },
  event: { hostname: 'example.com', name: 'signup' },
  engage: { hostname: 'example.com', url: { path: '/' }, sd: 10, time: 1_000 },
  identify: { hostname: 'example.com', identifier: 'user-1' },
  'web-vitals': {
    hostname: 'example.com',
    url: { path: '/' },
    id: '00000000-0000-4000-8000-00000000000b',
    lcp: 1,
  },
}

/** Returns a text of `length` code points; each has two UTF-16 units and four bytes. */
const long = (length: number) => '𝒳'.repeat(length)

const key = '00000000-0000-4000-8000-000000000001'

/** Returns the hit that the edge makes of a body, as it waits in the queue. */
function queued(site: TestSite, endpoint: Endpoint, body: Json, userAgent = ''): Hit {
  const { content } = readKeyedBody(endpoint, { ...BODIES[endpoint], key, visitor_id: VISITOR, ...body })
  const { hit } = makeHit(content, {
    id: newHitId(NOW),
    at: NOW,
    site: { siteNo: site.siteNo, siteId: site.id, trackingMode: 'cookieless' },
    sender: { address: '192.0.2.1', userAgent },
    location: { country: '', region: '', city: '' },
    salts: undefined,
  })
  return JSON.parse(JSON.stringify(hit))
}

/** Returns the rows that a body becomes, by table. */
async function stored(endpoint: Endpoint, body: Json, userAgent?: string): Promise<Record<string, Json>> {
  const { db } = database
  const site = await createTestSite(db)
  if (endpoint === 'engage') await storeHits(db, 0, [enrich(queued(site, 'collect', { url: body.url }))])
  await storeHits(db, 0, [enrich(queued(site, endpoint, body, userAgent))])
  const [event] = await db`select * from events where site_no = ${site.siteNo} order by type = 'pageview', at`
  const [session] = await db`select * from sessions where site_no = ${site.siteNo}`
  const [identity] = await db`select * from identities where site_no = ${site.siteNo}`
  const [group] = await db`select * from error_groups where site_no = ${site.siteNo}`
  return { event: event!, session: session ?? {}, identity: identity ?? {}, group: group ?? {} }
}

const codePoints = (text: unknown) => [...String(text)].length

const properties = (count: number, key: number, value: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${index}`.padStart(key, 'k'), long(value)]),
  )

const contextual: [field: string, max: number, bodyOf: (text: string) => Json][] = [
  ['hostname', 255, hostname => ({ hostname })],
  ['url.path', 2_048, path => ({ url: { path } })],
  ['url.title', 512, title => ({ url: { path: '/', title } })],
  ['referrer', 2_048, referrer => ({ referrer })],
  ['language', 35, language => ({ language })],
  ['os', 50, os => ({ os })],
  ['os_version', 50, os_version => ({ os_version })],
  ['browser.name', 50, name => ({ browser: { name } })],
  ['browser.version', 50, version => ({ browser: { version } })],
]

describe('text limits: a text that is one character too long is refused with its field', () => {
  const cases: [Endpoint, string, number, (text: string) => Json][] = [
    ...contextual.map(
      ([...each]) => ['collect', ...each] as [Endpoint, string, number, (text: string) => Json],
    ),
    ...contextual.map(
      ([...each]) => ['event', ...each] as [Endpoint, string, number, (text: string) => Json],
    ),
    ['event', 'name', 255, name => ({ name })],
    ...contextual
      .slice(0, 3)
      .map(([...each]) => ['engage', ...each] as [Endpoint, string, number, (text: string) => Json]),
    ...contextual
      .slice(0, 3)
      .map(([...each]) => ['web-vitals', ...each] as [Endpoint, string, number, (text: string) => Json]),
    ['identify', 'hostname', 255, hostname => ({ hostname })],
    ['identify', 'identifier', 255, identifier => ({ identifier })],
    ['identify', 'name', 255, name => ({ name })],
    ['identify', 'avatar', 255, rest => ({ avatar: `https://${rest.slice(8 * 2)}` })],
  ]
  test.each(cases)('%s: %s has at most %i', (endpoint, field, max, bodyOf) => {
    const read = (length: number) => readBody(endpoint, { ...BODIES[endpoint], ...bodyOf(long(length)) })
    expect(() => read(max)).not.toThrow()
    expect(() => read(max + 1)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        fields: expect.objectContaining({
          [field]: expect.arrayContaining([`must be at most ${max} characters`]),
        }),
      }),
    )
  })

  test.each([
    ['collect', 'properties'],
    ['event', 'properties'],
    ['identify', 'custom'],
  ] as const)('%s: %s has at most 50 keys of 64 characters and values of 500', (endpoint, field) => {
    const read = (value: Json) => readBody(endpoint, { ...BODIES[endpoint], [field]: value })
    expect(() => read(properties(50, 64, 500))).not.toThrow()
    for (const beyond of [properties(51, 1, 1), properties(1, 65, 1), properties(1, 1, 501)])
      expect(() => read(beyond)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })
})

describe('text limits: stored texts', () => {
  test.each(['object', 'properties'])('error fields from its %s are truncated', async from => {
    const fields = {
      name: long(256),
      message: long(5_001),
      stack: long(20_001),
      file_name: long(2_049),
      line_number: '1'.repeat(21),
      column_number: long(21),
    }
    const short = { line_number: '1'.repeat(21), column_number: long(21), file_name: long(500) }
    const body = from === 'object' ? { error: fields } : { properties: short }
    const { event, group } = await stored('event', { name: 'error', ...body })
    expect(event!.error_line).toBe('1'.repeat(20))
    expect(event!.error_column).toBe(long(20))
    expect(event!.error_file).toBe(from === 'object' ? long(2_048) : long(500))
    if (from === 'properties') return
    expect([event!.name, event!.error_message]).toEqual([long(255), long(5_000)])
    expect(event!.error_stack).toBe(long(20_000))
    expect([group!.name, group!.message]).toEqual([long(255), long(5_000)])
  })

  test('a line number in exponent form is truncated', async () => {
    const { event } = await stored('event', { name: 'error', error: { line_number: -Number.MAX_VALUE } })
    expect(codePoints(event!.error_line)).toBeLessThanOrEqual(20)
  })

  test('errors that differ only after the limit keep different fingerprints', async () => {
    const ids = ['1', '2'].map(async end => {
      const { event } = await stored('event', { name: 'error', error: { message: `${long(5_000)}${end}` } })
      return event!.error_id
    })
    expect(new Set(await Promise.all(ids)).size).toBe(2)
  })

  test('a referrer is truncated although escapes make it twelve times as long', async () => {
    const { event } = await stored('collect', { referrer: `https://example.org/${long(2_028)}` })
    expect(codePoints(event!.referrer)).toBe(2_048)
    const { session } = await stored('collect', { referrer: `https://${'ä.'.repeat(1_019)}de` })
    expect(codePoints(session!.referrer)).toBeLessThanOrEqual(2_048)
    expect(codePoints(session!.source)).toBeLessThanOrEqual(2_048)
  })

  test('URL tags are stored completely', async () => {
    const { session } = await stored('collect', { url: { path: `/?utm_source=${long(2_035)}` } })
    expect(session!.utm_source).toBe(long(2_035))
    expect(session!.source).toBe(long(2_035))
  })

  test('a path without its slash is stored completely', async () => {
    const { event } = await stored('collect', { url: { path: long(2_048) } })
    expect(event!.path).toBe(`/${long(2_048)}`)
  })

  test('versions in a user agent are truncated', async () => {
    const versions = async (userAgent: string) => (await stored('collect', {}, userAgent)).session!
    const digits = '1'.repeat(900)
    const phone = await versions(`Mozilla/5.0 (Mobile; rv:84.0) Gecko/84.0 Firefox/${digits} KAIOS/${digits}`)
    expect(codePoints(phone.os_version)).toBeLessThanOrEqual(50)
    expect(codePoints(phone.browser_version)).toBeLessThanOrEqual(50)
    const far = await versions(`Mozilla/5.0 (KAIOS/${digits}`)
    expect(codePoints(far.os_version)).toBe(50)
  })
})

test('text limits: error texts are truncated before they wait in the queue', async () => {
  const site = await createTestSite(database.db)
  const error = { name: long(10_000), message: long(10_000), stack: long(30_000), file_name: long(10_000) }
  const hit = queued(site, 'event', { name: 'error', error }, 'x'.repeat(5_000))
  expect(codePoints(hit.error!.message)).toBe(5_000)
  expect(codePoints(hit.error!.stack)).toBe(20_000)
  expect(codePoints(hit.error!.fileName)).toBe(2_048)
  expect(codePoints(hit.error!.name)).toBe(255)
  expect(codePoints(hit.userAgent)).toBe(1_000)
})

test('text limits: hits that were queued without truncation are truncated when they are stored', () => {
  const site = { siteNo: 1, id: VISITOR, key }
  const hit = {
    ...queued(site, 'event', { name: 'error' }),
    error: { fileName: long(9_000), lineNumber: long(99) },
  }
  const { error } = enrich({ ...hit, errorId: undefined } as Hit)
  expect([codePoints(error!.fileName), codePoints(error!.lineNumber)]).toEqual([2_048, 20])
})
