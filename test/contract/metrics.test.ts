import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually, startService, type TestService } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { expectError, rawRequest, request } from './requests.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ HTTP_WORKERS: '2', INGEST_PROCESSES: '2' })
})
afterAll(() => service.close())

/** Sum of a metric over all processes. */
function sumOf(text: string, name: string, label = ''): number {
  const lines = text.split('\n').filter(line => line.startsWith(`${name}{`) && line.includes(label))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

/** Role and process id of each process that told its counts. */
const processesIn = (text: string) =>
  new Set(
    [...text.matchAll(/process_resident_memory_bytes\{role="(\w+)",pid="(\d+)"\}/g)].map(
      match => `${match[1]} ${match[2]}`,
    ),
  )

const scrape = async () => (await fetch(`${service.url}/metrics`)).text()

test('metrics: one answer has the counts of all workers and ingest processes', async () => {
  const site = await createTestSite(service.db)
  const send = (agent: string) =>
    fetch(`${service.url}/api/collect`, {
      method: 'POST',
      headers: { 'User-Agent': agent },
      body: JSON.stringify({ key: site.key, hostname: 'example.com', url: { path: '/' } }),
    })
  await Promise.all(Array.from({ length: 30 }, (_, index) => send(`agent ${index}`)))
  await send('Googlebot/2.1 (+http://www.google.com/bot.html)')
  // A process tells its counts once it listens; one that starts last may not be heard when all hits are stored.
  const text = await eventually(async () => {
    const answer = await scrape()
    return sumOf(answer, 'hits_stored_total') === 30 && processesIn(answer).size === 4 && answer
  })
  expect(sumOf(text, 'hits_accepted_total', 'endpoint="collect"')).toBe(30)
  expect(sumOf(text, 'hits_dropped_total', 'reason="bot"')).toBe(1)
  expect(sumOf(text, 'hits_dead_letters_total')).toBe(0)
  expect(sumOf(text, 'http_request_duration_seconds_count', 'route="/api/collect"')).toBe(31)
  const roles = [...processesIn(text)].map(name => name.replace(/ .*/, ''))
  expect(roles.sort()).toEqual(['http', 'http', 'ingest', 'ingest'])
  expect(text).toMatch(/^queue_jobs\{state="waiting"\} 0$/m)
  expect(text).toMatch(/^queue_oldest_seconds 0$/m)
  expect(text).toMatch(/^refresh_lag_seconds\{aggregate="hits"\} /m)
  expect(text).toMatch(/^store_batch_hits_bucket/m)
})

test('metrics without a token: a request that came from elsewhere is refused', async () => {
  const proxied = {
    ...{ Forwarded: 'for=203.0.113.9', Via: '1.1 proxy', 'X-Real-IP': '203.0.113.9' },
    ...{ 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'a.com' },
  }
  const hosts = [
    ...['analytics.example.com', 'rebind.example.com:3000', '127.0.0.1.example.com'],
    ...['203.0.113.9:3000', '[2001:db8::1]:3000'],
  ]
  for (const [name, value] of [...Object.entries(proxied), ...hosts.map(host => ['Host', host] as const)])
    expectError(await request(`${service.url}/metrics`, { headers: { [name]: value } }), 403, 'forbidden')
  const bytes = 'GET /metrics HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'
  expectError((await rawRequest(service.url, bytes))[0]!, 403, 'forbidden')
})

test('metrics without a token: a request for a name of this host is answered', async () => {
  for (const host of ['localhost', 'LOCALHOST:3000', '127.0.0.1:3000', '127.1.2.3', '[::1]:3000', '[::1]'])
    expect((await request(`${service.url}/metrics`, { headers: { Host: host } })).status, host).toBe(200)
})

test('metrics with a token: they are answered for it alone', async () => {
  const guarded = await startService({ HTTP_WORKERS: '1', METRICS_TOKEN: 'a-token-of-enough-length' })
  onTestFinished(() => guarded.close())
  for (const [authorization, status] of [
    ['Bearer a-token-of-enough-length', 200],
    ['Bearer a-token-of-other-length', 401],
    ['', 401],
  ] as const)
    expect((await request(`${guarded.url}/metrics`, { headers: { authorization } })).status).toBe(status)
})
