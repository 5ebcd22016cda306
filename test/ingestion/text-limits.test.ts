import { expect, test } from 'vitest'
import { makeHit } from '../../src/ingestion/edge/accept.ts'
import { newHitId } from '../../src/ingestion/edge/hit-id.ts'
import { readKeyedBody } from '../../src/ingestion/edge/read-body.ts'
import type { Hit } from '../../src/ingestion/hit.ts'
import { enrich } from '../../src/ingestion/stages/index.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { useDatabase } from '../support/database.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const NOW = Date.UTC(2026, 2, 10, 12)
const VISITOR = '00000000-0000-4000-8000-00000000000a'

const database = useDatabase()

type Json = Record<string, unknown>

const BODIES = {
  collect: { hostname: 'example.com', url: { path: '/' } },
  event: { hostname: 'example.com', name: 'signup' },
}
type Endpoint = keyof typeof BODIES

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
async function stored(endpoint: Endpoint, body: Json, userAgent?: string) {
  const { db } = database
  const site = await createTestSite(db)
  await storeHits(db, 0, [enrich(queued(site, endpoint, body, userAgent))])
  const [event] = await db`select * from events where site_no = ${site.siteNo}`
  const [session] = await db`select * from sessions where site_no = ${site.siteNo}`
  const [group] = await db`select * from error_groups where site_no = ${site.siteNo}`
  return { event: event!, session: session!, group }
}

const codePoints = (text: unknown) => [...String(text)].length

test('text limits, stored texts: error fields are truncated, from an object and from properties', async () => {
  const place = { line_number: '1'.repeat(21), column_number: long(21) }
  const text = { name: long(256), message: long(5_001), stack: long(20_001), file_name: long(2_049) }
  const { event, group } = await stored('event', { name: 'error', error: { ...text, ...place } })
  const kept = { error_line: '1'.repeat(20), error_column: long(20) }
  expect(event).toMatchObject({
    ...kept,
    name: long(255),
    error_message: long(5_000),
    error_file: long(2_048),
  })
  expect(event.error_stack).toBe(long(20_000))
  expect(group).toMatchObject({ name: long(255), message: long(5_000) })
  const given = { name: 'error', properties: { ...place, file_name: long(500) } }
  expect((await stored('event', given)).event).toMatchObject({ ...kept, error_file: long(500) })
})

test('text limits, stored texts: a line number in exponent form is truncated', async () => {
  const { event } = await stored('event', { name: 'error', error: { line_number: -Number.MAX_VALUE } })
  expect(codePoints(event.error_line)).toBeLessThanOrEqual(20)
})

test('text limits, stored texts: a referrer is truncated although escapes make it twelve times as long', async () => {
  const { event } = await stored('collect', { referrer: `https://example.org/${long(2_028)}` })
  expect(codePoints(event.referrer)).toBe(2_048)
  const { session } = await stored('collect', { referrer: `https://${'ä.'.repeat(1_019)}de` })
  expect(codePoints(session.referrer)).toBeLessThanOrEqual(2_048)
  expect(codePoints(session.source)).toBeLessThanOrEqual(2_048)
})

test('text limits, stored texts: URL tags, and a path without its slash, are stored completely', async () => {
  const { session } = await stored('collect', { url: { path: `/?utm_source=${long(2_035)}` } })
  expect(session).toMatchObject({ utm_source: long(2_035), source: long(2_035) })
  const { event } = await stored('collect', { url: { path: long(2_048) } })
  expect(event.path).toBe(`/${long(2_048)}`)
})

test('text limits, stored texts: versions in a user agent are truncated', async () => {
  const versions = async (userAgent: string) => (await stored('collect', {}, userAgent)).session
  const digits = '1'.repeat(900)
  const phone = await versions(`Mozilla/5.0 (Mobile; rv:84.0) Gecko/84.0 Firefox/${digits} KAIOS/${digits}`)
  expect(codePoints(phone.os_version)).toBeLessThanOrEqual(50)
  expect(codePoints(phone.browser_version)).toBeLessThanOrEqual(50)
  const far = await versions(`Mozilla/5.0 (KAIOS/${digits}`)
  expect(codePoints(far.os_version)).toBe(50)
})

test('text limits: error texts are truncated before they wait in the queue', async () => {
  const site = await createTestSite(database.db)
  const error = { name: long(10_000), message: long(10_000), stack: long(30_000), file_name: long(10_000) }
  const hit = queued(site, 'event', { name: 'error', error }, 'x'.repeat(5_000))
  const { name, message, stack, fileName } = hit.error!
  const lengths = [name, message, stack, fileName, hit.userAgent].map(codePoints)
  expect(lengths).toEqual([255, 5_000, 20_000, 2_048, 1_000])
})

test('text limits: hits that were queued without truncation are truncated when they are stored', () => {
  const site = { siteNo: 1, id: VISITOR, key }
  const error = { fileName: long(9_000), lineNumber: long(99) }
  const hit = { ...queued(site, 'event', { name: 'error' }), error, errorId: undefined } as Hit
  const kept = enrich(hit).error!
  expect([codePoints(kept.fileName), codePoints(kept.lineNumber)]).toEqual([2_048, 20])
})
