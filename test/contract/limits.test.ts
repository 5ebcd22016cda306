import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { startService, type TestService } from '../support/service.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const LIMIT = 40
let service: TestService
let site: TestSite
beforeAll(async () => {
  service = await startService({
    RATE_LIMIT_COLLECT: String(LIMIT),
    RATE_LIMIT_EVENT: String(LIMIT),
    RATE_LIMIT_ENGAGE: '0',
    RATE_LIMIT_IDENTIFY: String(LIMIT),
    RATE_LIMIT_API: String(LIMIT),
  })
  site = await createTestSite(service.db)
})
afterAll(() => service.close())

interface Counted {
  status: number
  headers: Headers
}

async function send(endpoint: string, body: object): Promise<Counted> {
  const response = await fetch(`${service.url}/api/${endpoint}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response
}

const pageview = (key = site.key) => ({
  key,
  hostname: 'example.com',
  url: { path: '/' },
  visitor_id: randomUUID(),
})

/** Answers by the window they were counted in: a run may lie across the turn of a minute. */
function byWindow(answers: Counted[]): Counted[][] {
  const windows = new Map<string, Counted[]>()
  for (const answer of answers) {
    const reset = answer.headers.get('X-RateLimit-Reset')!
    windows.set(reset, [...(windows.get(reset) ?? []), answer])
  }
  return [...windows.values()]
}

/** Of each window's requests the first 40 are allowed, and the headers count down. */
function expectExact(answers: Counted[], allowedStatus: number) {
  for (const window of byWindow(answers)) {
    const allowed = window.filter(answer => answer.status === allowedStatus)
    const refused = window.filter(answer => answer.status === 429)
    expect(allowed.length).toBe(Math.min(window.length, LIMIT))
    expect(refused.length).toBe(window.length - allowed.length)
    const remaining = allowed.map(answer => Number(answer.headers.get('X-RateLimit-Remaining')))
    expect(remaining.sort((a, b) => b - a)).toEqual(allowed.map((_, index) => LIMIT - 1 - index))
    for (const answer of refused) {
      expect(answer.headers.get('X-RateLimit-Remaining')).toBe('0')
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
      expect(Number(answer.headers.get('Retry-After'))).toBeLessThanOrEqual(60)
    }
    for (const answer of window) expect(answer.headers.get('X-RateLimit-Limit')).toBe(String(LIMIT))
  }
}

const many = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

test('ingestion limits: of parallel requests to all workers, exactly the limit is accepted and stored', async () => {
  const answers = await many(LIMIT + 25, () => send('collect', pageview()))
  expectExact(answers, 202)
  const accepted = answers.filter(answer => answer.status === 202).length
  await expect
    .poll(
      async () => {
        const [row] =
          await service.db`select count(*)::int as count from events where site_no = ${site.siteNo}`
        return row!.count
      },
      { timeout: 60_000 },
    )
    .toBe(accepted)
})

test('ingestion limits: invalid requests are charged to the bucket of their endpoint', async () => {
  const answers = await many(LIMIT + 10, () => send('event', { key: 'nonsense' }))
  expectExact(answers, 422)
})

test('ingestion limits: identify is charged by key and address', async () => {
  const other = await createTestSite(service.db)
  const identify = (key: string) => send('identify', { key, hostname: 'example.com', identifier: 'ada' })
  expectExact(await many(LIMIT + 5, () => identify(site.key)), 202)
  expectExact(await many(LIMIT + 5, () => identify(other.key)), 202)
})

test('ingestion limits: 0 turns the limit and its headers off', async () => {
  const engage = { key: site.key, hostname: 'example.com', url: { path: '/' }, sd: 1, time: 1 }
  for (const answer of await many(LIMIT + 5, () => send('engage', engage))) {
    expect(answer.status).toBe(202)
    expect(answer.headers.has('X-RateLimit-Limit')).toBe(false)
  }
})

test('API limit: REST and tRPC share the bucket of the token; a batch is charged for each call', async () => {
  const list = () =>
    fetch(`${service.url}/api/sites`, { headers: { Authorization: `Bearer ${service.token}` } })
  const first = await list()
  const left = Number(first.headers.get('X-RateLimit-Remaining'))
  expect(left).toBeLessThan(LIMIT)
  const client = createClient(service.url, service.token)
  await Promise.all([client.sites.list.query(), client.sites.list.query(), client.sites.list.query()])
  const after = await list()
  if (after.headers.get('X-RateLimit-Reset') === first.headers.get('X-RateLimit-Reset')) {
    expect(Number(after.headers.get('X-RateLimit-Remaining'))).toBe(left - 4)
  }
  // Twice the limit, because a minute may end meanwhile.
  const refused = await many(2 * LIMIT + 10, list)
  expect(refused.some(answer => answer.status === 429)).toBe(true)
  const body = await refused.find(answer => answer.status === 429)!.json()
  expect(body).toMatchObject({
    code: 'rate_limited',
    message: expect.any(String),
    request_id: expect.any(String),
  })
})

test('ingestion limits: Redis does not contain the address of a sender', async () => {
  const { Redis } = await import('ioredis')
  const redis = new Redis({ path: service.redisUrl.replace('unix://', '') })
  const keys = await redis.keys('*')
  const windows = keys.filter(key => key.startsWith('limit:'))
  const buckets = (await Promise.all(windows.map(key => redis.hkeys(key)))).flat()
  redis.disconnect()
  expect(buckets.length).toBeGreaterThan(0)
  expect([...keys, ...buckets].filter(key => key.includes('127.0.0.1'))).toEqual([])
})
