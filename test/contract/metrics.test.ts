import { expect, onTestFinished, test } from 'vitest'
import { startApi } from '../support/api.ts'
import { ofFile } from '../support/of-file.ts'
import { eventually, sharedService } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { expectError, rawRequest, request } from './requests.ts'

const service = ofFile(() => sharedService())

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
  // A process tells its counts once it listens, and other files may have sent hits.
  const isAtRest = (text: string) =>
    processesIn(text).size === 3 &&
    /^queue_jobs\{state="waiting"\} 0$/m.test(text) &&
    sumOf(text, 'queue_jobs', 'active') === 0
  const before = await eventually(async () => {
    const answer = await scrape()
    return isAtRest(answer) && answer
  })
  const stored = (text: string) => sumOf(text, 'hits_stored_total') - sumOf(before, 'hits_stored_total')
  await Promise.all(Array.from({ length: 30 }, (_, index) => send(`agent ${index}`)))
  await send('Googlebot/2.1 (+http://www.google.com/bot.html)')
  const text = await eventually(async () => {
    const answer = await scrape()
    return stored(answer) === 30 && isAtRest(answer) && answer
  })
  for (const [name, label, grown] of [
    ['hits_accepted_total', 'endpoint="collect"', 30],
    ['hits_dropped_total', 'reason="bot"', 1],
    ['hits_dead_letters_total', '', 0],
    ['http_request_duration_seconds_count', 'route="/api/collect"', 31],
  ] as const)
    expect([name, sumOf(text, name, label) - sumOf(before, name, label)]).toEqual([name, grown])
  const roles = [...processesIn(text)].map(name => name.replace(/ .*/, ''))
  expect(roles.sort()).toEqual(['http', 'http', 'ingest'])
  expect(text).toMatch(/^queue_oldest_seconds 0$/m)
  expect(text).toMatch(/^refresh_lag_seconds\{aggregate="hits"\} /m)
  expect(text).toMatch(/^store_batch_hits_bucket/m)
})

const OF_PROXIES =
  'CF-Connecting-IP CF-Connecting-IPv6 CF-Ray True-Client-IP X-Client-IP X-Forwarded Fastly-Client-IP ' +
  'X-Cluster-Client-IP X-ProxyUser-Ip X-Envoy-External-Address CDN-Loop Forwarded-For X-Original-Forwarded-For ' +
  'X-Azure-ClientIP X-Remote-Addr X-Amzn-Trace-Id'

test('metrics without a token: a request that came from elsewhere is refused', async () => {
  const proxied = {
    ...{ Forwarded: 'for=203.0.113.9', Via: '1.1 proxy', 'X-Real-IP': '203.0.113.9' },
    ...{ 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'a.com' },
    ...Object.fromEntries(OF_PROXIES.split(' ').map(name => [name, '203.0.113.9'])),
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
  const guarded = await startApi({ config: { metricsToken: 'a-token-of-enough-length' } })
  onTestFinished(() => guarded.close())
  for (const [authorization, status] of [
    ['Bearer a-token-of-enough-length', 200],
    ['Bearer a-token-of-other-length', 401],
    ['', 401],
  ] as const)
    expect((await request(`${guarded.url}/metrics`, { headers: { authorization } })).status).toBe(status)
})
