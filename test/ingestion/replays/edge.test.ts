import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { readChunk } from '../../../src/ingestion/replays/read-chunk.ts'
import type { ReplayJob } from '../../../src/ingestion/replays/replay-job.ts'
import { queueDepth } from '../../../src/platform/queue/bull-format.ts'
import { startApi } from '../../support/api.ts'
import { startIngestApi } from '../../support/ingest-api.ts'
import { ofFile } from '../../support/of-file.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { eventsAt } from './chunks.ts'

/** Whole minutes, not in the past, because salts expire by the clock of Redis. */
const at = Math.ceil(Date.now() / 60_000) * 60_000

const api = ofFile(() => startApi({ now: () => new Date(at) }))
beforeAll(async () => {
  const { config } = api.services
  Object.assign(config.limits, { replay: 0, collect: 0 })
})
const worker = ofFile(() => startIngestApi(api.services, api.services.config.redisUrl!))

async function recordingSite(excluded: string[] = []): Promise<TestSite> {
  const site = await createTestSite(api.services.db)
  await api.services.db`
    update sites set track_session_replay = true, replay_excluded_paths = ${excluded} where site_no = ${site.siteNo}`
  return site
}

const headOf = (site: TestSite, fields: object = {}) => ({
  ...{ key: site.key, hostname: 'example.com', path: '/pricing', page_ms: 1_000, recording: randomUUID() },
  position: 0,
  ...fields,
})

async function send(
  head: object | string,
  chunk: Buffer | string | null,
  userAgent = 'Mozilla/5.0 Firefox/140.0',
) {
  const line = typeof head === 'string' ? head : JSON.stringify(head)
  const body = chunk === null ? line : Buffer.concat([Buffer.from(`${line}\n`), Buffer.from(chunk)])
  const headers = { 'Content-Type': 'text/plain', 'User-Agent': userAgent }
  const response = await fetch(`${worker.url}/api/replay`, { method: 'POST', headers, body })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  const json: any = await response.json()
  const { status, headers: answered } = response
  return { status, headers: answered, json, dropped: answered.get('X-Hit-Dropped') }
}

const waiting = async () => (await queueDepth(api.services.redis, 'replays')).waiting
const EVENTS = JSON.stringify(eventsAt(at))

async function newestJob(): Promise<ReplayJob> {
  const id = await api.services.redis.lindex('bull:replays:wait', 0)
  return JSON.parse((await api.services.redis.hget(`bull:replays:${id}`, 'data'))!)
}

test('POST /api/replay: a chunk is queued as gzip, whether it comes as gzip or as JSON', async () => {
  const site = await recordingSite(['/account/**'])
  for (const chunk of [gzipSync(EVENTS), EVENTS]) {
    const head = { ...headOf(site), position: 3 }
    const answer = await send(head, chunk)
    expect([answer.status, answer.dropped]).toEqual([202, null])
    expect(answer.json).toEqual({ recording: true, excluded_paths: ['/account/**'] })
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    const job = await newestJob()
    const times = { at, pageAt: at - 1_000, firstEventMs: at, lastEventMs: at + 1_000 }
    const content = { events: 2, unpacked: EVENTS.length, data: gzipSync(EVENTS).toString('base64') }
    const { recording, position, path } = head
    expect(job).toMatchObject({ siteNo: site.siteNo, recording, position, path, ...times, ...content })
    expect(JSON.stringify(job)).not.toContain('127.0.0.1')
  }
})

test('POST /api/replay: without a recording it says whether to record, and queues nothing', async () => {
  const site = await recordingSite()
  const before = await waiting()
  const head = { ...headOf(site), recording: undefined, position: undefined }
  for (const chunk of [null, '']) {
    const answer = await send(head, chunk)
    expect([answer.status, answer.json]).toEqual([202, { recording: true, excluded_paths: [] }])
  }
  expect(await waiting()).toBe(before)
})

test('POST /api/replay: what is not to be recorded is dropped, and not even unpacked', async () => {
  const off = await createTestSite(api.services.db)
  const excluding = await recordingSite(['/account/**'])
  const before = await waiting()
  const broken = Buffer.from([0x1f, 0x8b, 1])
  const bot = 'Googlebot/2.1 (+http://www.google.com/bot.html)'
  for (const [head, reason, recording, userAgent] of [
    [headOf(off), 'replay_off', false],
    [headOf(excluding, { path: '/account/keys' }), 'excluded_path', true],
    [headOf(excluding), 'bot', false, bot],
  ] as const) {
    const { status, dropped, json } = await send(head, broken, userAgent)
    expect([status, dropped, json.recording]).toEqual([202, reason, recording])
  }
  expect(await waiting()).toBe(before)
})

test('POST /api/replay: a page whose session or site has reached its limit is told to stop', async () => {
  const { redis } = api.services
  const site = await recordingSite()
  const visitor_id = randomUUID()
  await redis.hset(`replay:visitor:${site.siteNo}:${visitor_id}`, 'bytes', 10 * 1024 * 1024)
  const sent = async (head: object) => {
    const { status, dropped, json } = await send(head, EVENTS)
    return [status, dropped, json.recording]
  }
  expect(await sent(headOf(site, { visitor_id }))).toEqual([202, 'replay_full', false])
  const day = new Date(at).toISOString().slice(0, 10)
  await redis.hset(`replay:site:${site.siteNo}:${day}`, 'bytes', 500 * 1024 * 1024)
  expect(await sent(headOf(site))).toEqual([202, 'replay_full', false])
  // A chunk counts with its row.
  const exact = gzipSync(EVENTS).length + 'example.com/pricing'.length + 300
  const other = await recordingSite()
  const ofOther = `replay:site:${other.siteNo}:${day}`
  await redis.hset(ofOther, 'bytes', 500 * 1024 * 1024 - exact)
  // What strangers send without a session must take nothing from the site, so it is counted only when it is stored.
  for (const _ of [1, 2]) expect(await sent(headOf(other))).toEqual([202, null, true])
  await redis.hincrby(ofOther, 'bytes', 1)
  expect(await sent(headOf(other))).toEqual([202, 'replay_full', false])
})

test('POST /api/replay: a network may use a tenth of the day of a site, which leaves the rest to others', async () => {
  const { redis } = api.services
  const site = await recordingSite()
  expect((await send(headOf(site), EVENTS)).dropped).toBeNull()
  const [key, ...others] = await redis.keys(`replay:sender:${site.siteNo}:*`)
  expect(others).toEqual([])
  await redis.hset(key!, 'bytes', 50 * 1024 * 1024)
  const { dropped, json } = await send(headOf(site), EVENTS)
  expect([dropped, json.recording]).toEqual(['replay_full', false])
  await redis.del(key!)
  expect((await send(headOf(site), EVENTS)).dropped).toBeNull()
})

test('POST /api/replay: while too much waits, it answers 503 and when to try again', async () => {
  const { redis } = api.services
  const site = await recordingSite()
  const before = (await redis.hget('bull:replays:bytes', 'all')) ?? '0'
  await redis.hset('bull:replays:bytes', 'all', 64 * 1024 * 1024)
  const { status, json, headers } = await send(headOf(site), EVENTS)
  await redis.hset('bull:replays:bytes', 'all', before)
  expect([status, json.code, headers.get('Retry-After')]).toEqual([503, 'unavailable', '10'])
})

const event = (fields: object) => JSON.stringify([{ type: 3, timestamp: at, data: {}, ...fields }])

const arrays = (count: number) => gzipSync(event({ data: { all: Array(count).fill([]) } }))

test('POST /api/replay: what are no events is refused, and not queued', async () => {
  const cases: [what: string, status: number, chunk: Buffer | string, field?: string][] = [
    ['broken gzip', 400, Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])],
    ['cut gzip', 400, gzipSync(EVENTS).subarray(0, -9)],
    ['a bomb', 413, gzipSync(' '.repeat(4 * 1024 * 1024 + 1))],
    ['more than 256 KiB', 413, Buffer.alloc(300 * 1024, 32)],
    ['no JSON', 400, gzipSync('x')],
    ['cut JSON', 400, '[{"type":3'],
    ['an object', 422, '{}', 'events'],
    ['no event', 422, '[]', 'events'],
    ['5,001 events', 422, gzipSync(JSON.stringify(eventsAt(0, 5_001))), 'events'],
    ['null', 422, '[null]', 'events.0'],
    ['another type', 422, event({ type: 7 }), 'events.0'],
    ['half a type', 422, event({ type: 0.5 }), 'events.0'],
    ['a text as time', 422, event({ timestamp: '1' }), 'events.0'],
    ['a time before 1970', 422, event({ timestamp: -1 }), 'events.0'],
    ['a time beyond all', 422, event({ timestamp: 9e15 }), 'events.0'],
    ['no data', 422, event({ data: null }), 'events.0'],
    ['two days', 422, JSON.stringify([...eventsAt(0, 1), ...eventsAt(2 * 86_400_000, 1)]), 'events'],
    ['deep nesting', 422, `[${'['.repeat(2_001)}${']'.repeat(2_001)}]`, 'events'],
    ['250,001 objects and arrays', 422, arrays(249_997), 'events'],
    ['nothing', 422, '', 'events'],
  ]
  const site = await recordingSite()
  const before = await waiting()
  for (const [what, status, chunk, field] of cases) {
    const answer = await send(headOf(site), chunk)
    expect(answer.status, what).toBe(status)
    if (field) expect(Object.keys(answer.json.errors), what).toEqual([field])
  }
  expect(await waiting()).toBe(before)
})

test('POST /api/replay: a first line that is not valid is refused', async () => {
  const cases: [field: string, change: object, status: number][] = [
    ['key', { key: 'x' }, 422],
    ['', { key: randomUUID() }, 404],
    ['hostname', { hostname: '' }, 422],
    ['path', { path: 5 }, 422],
    ['path', { path: 'x'.repeat(2_049) }, 422],
    ['page_ms', { page_ms: -1 }, 422],
    ['page_ms', { page_ms: 86_400_001 }, 422],
    ['recording', { recording: 'x' }, 422],
    ['position', { position: undefined }, 422],
    ['position', { position: 1.5 }, 422],
    ['position', { recording: undefined }, 422],
    ['recording', { recording: undefined, position: undefined }, 422],
    ['visitor_id', { visitor_id: 'x' }, 422],
  ]
  const site = await recordingSite()
  for (const [field, change, status] of cases) {
    const answer = await send(headOf(site, change), EVENTS)
    expect(answer.status, JSON.stringify(change)).toBe(status)
    if (field) expect(Object.keys(answer.json.errors)).toEqual([field])
  }
  for (const [line, status] of [
    ['{', 400],
    ['', 400],
    [`"${'x'.repeat(17_000)}"`, 413],
    ['[]', 422],
    ['null', 422],
  ] as const) {
    expect((await send(line, null)).status, line.slice(0, 10)).toBe(status)
  }
})

test('POST /api/replay: its requests have a limit of their own', async () => {
  const { limits } = api.services.config
  const site = await recordingSite()
  limits.replay = 2
  const statuses = []
  for (let request = 0; request < 3; request++) statuses.push((await send(headOf(site), EVENTS)).status)
  limits.replay = 0
  expect(statuses).toEqual([202, 202, 429])
})

test('POST /api/replay: one chunk is unpacked at a time, and one that is refused stops no other', async () => {
  let unpacked = 0
  let most = 0
  const charge = async () => {
    unpacked += 1
    most = Math.max(most, unpacked)
    for (let round = 0; round < 5; round++) await waiting()
    unpacked -= 1
  }
  const chunks = [gzipSync(EVENTS), Buffer.from('{'), Buffer.from(EVENTS), gzipSync(EVENTS)]
  const results = await Promise.allSettled(chunks.map(chunk => readChunk(chunk, charge)))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(most).toBe(1)
})

test('POST /api/replay: a chunk counts as one request for each MiB of its events', async () => {
  const { limits } = api.services.config
  const site = await recordingSite()
  const large = gzipSync(event({ data: { text: 'x'.repeat(2 * 1024 * 1024) } }))
  const small = arrays(249_996)
  limits.replay = 1_000_000
  const before = await send(headOf(site), small)
  const after = await send(headOf(site), large)
  const remaining = ({ headers }: typeof after) => Number(headers.get('X-RateLimit-Remaining'))
  expect([before.status, after.status, remaining(before) - remaining(after)]).toEqual([202, 202, 3])
  limits.replay = 1_000_000 - remaining(after) + 2
  const waited = await waiting()
  expect((await send(headOf(site), large)).status).toBe(429)
  limits.replay = 0
  expect(await waiting()).toBe(waited)
})

test('POST /api/collect: the answer names the script of replays for the sampled visitors of sites that record', async () => {
  const { db } = api.services
  const everyVisit = await recordingSite(['/account/**'])
  const sampled = await recordingSite()
  await db`update sites set replay_sample_percent = 30 where site_no = ${sampled.siteNo}`
  const visit = async (site: TestSite, path: string, visitor_id: string = randomUUID()) => {
    const body = JSON.stringify({ key: site.key, hostname: 'example.com', url: { path }, visitor_id })
    const answer = await fetch(`${worker.url}/api/collect`, { method: 'POST', body })
    return answer.headers.get('X-Tracker')!.includes('load=replay.js')
  }
  const excluded = await visit(everyVisit, '/account/x?a=b')
  expect([await visit(everyVisit, '/'), excluded]).toEqual([true, false])
  const visitors = Array.from({ length: 120 }, () => randomUUID())
  const named: boolean[] = []
  for (const visitor of visitors) named.push(await visit(sampled, '/', visitor))
  const again = await Promise.all(visitors.map(visitor => visit(sampled, '/other', visitor)))
  expect(again).toEqual(named)
  const share = named.filter(Boolean).length
  expect(share).toBeGreaterThan(10)
  expect(share).toBeLessThan(70)
})
