import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { EnrichedHit, Hit } from '../../../src/ingestion/hit.ts'
import { importHits } from '../../../src/ingestion/import/import-hits.ts'
import { errorFingerprint } from '../../../src/ingestion/stages/error.ts'
import { type Stored, storeHits } from '../../../src/ingestion/store/store.ts'
import { purgeDeletedSites } from '../../../src/outgoing/retention/purge-deleted-sites.ts'
import { dbOf, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { streamOf } from '../../support/import-lines.ts'
import { silentLog } from '../../support/log.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { useOtherProcesses } from '../storing.ts'

const NOON = Date.UTC(2026, 2, 10, 12)
const DAY = 86_400_000
const MOST = 3

const database = useDatabase()
const db = dbOf(database)
let site: TestSite
beforeEach(async () => {
  site = await createTestSite(db)
})

const anotherProcess = useOtherProcesses(database)

const store = (hits: EnrichedHit[], by = db, partition = 0): Promise<Stored> =>
  storeHits(by, partition, hits, MOST)

const event = (name: string, fields: Partial<Hit> = {}, at = NOON) =>
  enrichedHit(site, at, { type: 'event', name, ...fields })
const events = (...names: string[]) => names.map((name, index) => event(name, {}, NOON + index))
const error = (message: string, fields: Partial<Hit> = {}) =>
  enrichedHit(site, NOON, {
    type: 'error',
    name: 'error',
    error: { name: 'TypeError', message, stack: `at ${message}` },
    ...fields,
  })

async function names(day = NOON): Promise<string[]> {
  const rows = await db`
    select name from events
    where site_no = ${site.siteNo} and at >= ${new Date(day - DAY / 2)} and at < ${new Date(day + DAY / 2)}
    order by at, id`
  return rows.map(({ name }) => name)
}

test('daily values, event names: the first names of a day are kept, further ones count as (other)', async () => {
  const { stored, others } = await store(events('a', 'b', 'c', 'd', 'a', 'e'))
  expect([stored, others]).toEqual([6, { event_name: 2, property_key: 0, error_group: 0 }])
  expect(await names()).toEqual(['a', 'b', 'c', '(other)', 'a', '(other)'])
})

test('daily values, event names: the names that are kept on a day are the same in later batches, other partitions and other processes', async () => {
  await store(events('a', 'b'))
  const elsewhere = anotherProcess()
  await store([event('c', {}, NOON + 10), event('d', {}, NOON + 11)], elsewhere, 1)
  await store([event('d', {}, NOON + 20), event('c', {}, NOON + 21), event('b', {}, NOON + 22)], db, 2)
  expect(await names()).toEqual(['a', 'b', 'c', '(other)', '(other)', 'c', 'b'])
})

test('daily values, event names: concurrent batches stay within the limit together', async () => {
  const processes = [db, anotherProcess(), anotherProcess()]
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      store([event(`a${index}`), event(`b${index}`)], processes[index % 3], index % 4),
    ),
  )
  const stored = await names()
  expect(stored).toHaveLength(24)
  expect(new Set(stored).size).toBe(MOST + 1)
  expect(stored.filter(name => name === '(other)')).toHaveLength(24 - MOST)
})

test('daily values, event names: a hit that is delivered twice keeps its stored name, and storing leaves it unchanged', async () => {
  const first = events('a', 'b')
  await store(first)
  const later = [event('c', {}, NOON + 10), event('d', { props: { plan: 'pro' } }, NOON + 11)]
  const before = structuredClone(later)
  await store(later)
  expect(later).toEqual(before)
  expect(await store(structuredClone(first), anotherProcess())).toMatchObject({ stored: 0, repeated: 2 })
  expect(await names()).toEqual(['a', 'b', 'c', '(other)'])
})

test('daily values, event names: a failed batch does not use up the limit, and its retry stores the same names', async () => {
  const broken = event('z', { visitorId: 'no uuid' }, NOON - 1)
  const batch = events('a', 'b', 'c')
  await expect(store([broken, ...batch])).rejects.toThrow()
  expect((await store([...batch, event('d', {}, NOON + 10)])).others.event_name).toBe(1)
  expect(await names()).toEqual(['a', 'b', 'c', '(other)'])
})

test('daily values, event names: each UTC day and each site has its own limit', async () => {
  await store(events('a', 'b', 'c', 'd'))
  await store([event('d', {}, NOON + DAY), event('a', {}, NOON + DAY + 1)])
  expect(await names(NOON + DAY)).toEqual(['d', 'a'])
  const first = site
  site = await createTestSite(db)
  await store(events('d'))
  expect(await names()).toEqual(['d'])
  site = first
  expect(await names()).toEqual(['a', 'b', 'c', '(other)'])
})

test('daily values, event names: a full day is reported once', async () => {
  const filled = { siteNo: site.siteNo, day: NOON / DAY - 0.5, kind: 'event_name' }
  expect((await store(events('a', 'b'))).filled).toEqual([])
  expect((await store(events('c', 'd'))).filled).toEqual([filled])
  expect((await store(events('e'))).filled).toEqual([])
  expect((await store(events('f'), anotherProcess())).filled).toEqual([])
})

test('daily values: event names and property keys of goals are kept beyond the limit', async () => {
  await db`
    insert into goals (site_no, display_name, type, match_value, match_operator, custom_props)
    values
      (${site.siteNo}, 'one', 'event', 'bought', 'is', '{"plan": "pro"}'),
      (${site.siteNo}, 'two', 'event', 'x', 'contains', '{}')`
  await store(events('a', 'b', 'c', 'd'))
  const props = { k1: '1', k2: '2', k3: '3' }
  await store([event('a', { props }, NOON + 5)])
  const bought = { props: { plan: 'pro', k4: '4' } }
  await store([event('bought', bought, NOON + 10), event('xx', {}, NOON + 11)])
  expect((await names()).slice(-2)).toEqual(['bought', '(other)'])
  const [row] = await db`select props from events where site_no = ${site.siteNo} and name = 'bought'`
  expect(row!.props).toEqual({ plan: 'pro', '(other)': '(other)' })
})

test('daily values, event names: autocaptured types do not count towards the limit', async () => {
  const kinds = ['outbound', 'download', 'button', 'form', 'copy'] as const
  await store(kinds.map(type => enrichedHit(site, NOON, { type, name: type })))
  await store(events('a', 'b', 'c'))
  expect(await names()).not.toContain('(other)')
})

test('daily values: further property keys become one key (other) without a value', async () => {
  await store([event('a', { props: { one: '1', two: '2', three: '3' } })])
  const props = { two: 'II', secret: 'raw text', another: 'more' }
  const { others } = await store([enrichedHit(site, NOON + 1, { props })])
  expect(others).toEqual({ event_name: 0, property_key: 1, error_group: 0 })
  const rows = await db`select props from events where site_no = ${site.siteNo} order by at`
  expect(rows.map(row => row.props)).toEqual([
    { one: '1', two: '2', three: '3' },
    { two: 'II', '(other)': '(other)' },
  ])
})

const groups = async () =>
  (await db`select message, name from error_groups where site_no = ${site.siteNo} order by message`).map(
    row => ({ ...row }),
  )

test('daily values, errors: further errors join the group (other), and none of their text is stored', async () => {
  await store(['a', 'b', 'c'].map(message => error(message)))
  const props = { message: 'raw text', line_number: '7', plan: 'pro' }
  const { others } = await store([error('raw text', { props }), error('raw text too'), error('b')])
  expect(others).toMatchObject({ error_group: 2 })
  const other = errorFingerprint(site.id, '(other)')
  const rows = await db`select * from events where site_no = ${site.siteNo} and error_id = ${other}`
  expect(rows).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toContain('raw text')
  expect(rows.map(({ props }) => props)).toContainEqual({ plan: 'pro' })
  expect(rows[0]).toMatchObject({ name: '(other)', error_message: '(other)', error_stack: null })
  expect(await groups()).toEqual([
    { message: '(other)', name: '(other)' },
    ...['a', 'b', 'c'].map(message => ({ message, name: 'TypeError' })),
  ])
})

test('daily values, errors: error names count as event names', async () => {
  await store(events('a', 'b', 'c'))
  await store([error('boom')])
  const [row] = await db`select * from events where site_no = ${site.siteNo} and type = 'error'`
  expect(row).toMatchObject({ name: '(other)', error_message: 'boom', error_stack: 'at boom' })
})

test('daily values, errors: an error with the message (other) joins that group and does not count towards the limit', async () => {
  await store([error('(other)'), ...['a', 'b', 'c'].map(message => error(message))])
  expect((await groups()).map(({ message }) => message)).toEqual(['(other)', 'a', 'b', 'c'])
})

test('daily values: an import applies the limit of the days of its hits, also when it is repeated', async () => {
  await store(events('a', 'b'))
  const lines = ['c', 'd', 'a', 'e'].map((name, index) => ({
    endpoint: 'event' as const,
    timestamp: new Date(NOON + 1_000 * (index + 1)).toISOString(),
    body: { hostname: 'example.com', name, visitor_id: VISITOR },
  }))
  const other = { ...lines[1]!, timestamp: new Date(NOON + DAY).toISOString() }
  const text = [...lines, other].map(line => JSON.stringify(line))
  const tracked = { siteNo: site.siteNo, siteId: site.id, trackingMode: 'cookieless' } as const
  const geo = { locate: () => ({ country: '', region: '', city: '' }) }
  const now = () => new Date(NOON + 2 * DAY)
  const options = { db, geo, log: silentLog, now, batchHits: 2, mostValues: MOST }
  const source = () => importHits(tracked, streamOf(text), options)
  for (let run = 0; run < 2; run++) {
    expect(await source()).toMatchObject({ accepted: 5, dropped: 0, rejected_total: 0 })
    expect(await names()).toEqual(['a', 'b', 'c', '(other)', 'a', '(other)'])
    expect(await names(NOON + DAY)).toEqual(['d'])
  }
})

test('daily values: the purge of a deleted site removes its values', async () => {
  await store(events('a'))
  await db`update sites set deleted_at = now() where site_no = ${site.siteNo}`
  await purgeDeletedSites(db, new Date())
  expect(await db`select 1 from daily_values where site_no = ${site.siteNo}`).toHaveLength(0)
})

test('daily values: the limit is 10,000 of each kind', { tags: ['full'] }, async () => {
  const props = (index: number) => ({ [`k${index}`]: '' })
  const flood = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) =>
      event(`n${from + index}`, { visitorId: VISITOR, props: props(from + index) }, NOON + index),
    )
  const { others } = await storeHits(db, 0, flood(0, 10_001))
  expect(others).toEqual({ event_name: 1, property_key: 1, error_group: 0 })
  expect((await storeHits(db, 0, flood(9_999, 3))).others).toMatchObject({ event_name: 2, property_key: 2 })
})

const VISITOR = randomUUID()
