import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../src/http/api/routes.ts'
import { importInto } from '../stats/imported/imported-days.ts'
import { ofFile } from '../support/of-file.ts'
import { event, item, type Json, price, subscription } from '../support/stripe.ts'
import { startRevenue } from './revenue-shop.ts'
import { ADA, BEN, hit } from './stats-site.ts'

let client: Client

/** Now is 18 March: last month is February. */
const inFebruary = (day: number) => Date.UTC(2026, 1, day, 12) / 1000

async function connect(token: string): Promise<Client> {
  const made = new Client({ name: 'test', version: '1' })
  const headers = { Authorization: `Bearer ${token}` }
  // The types of the SDK allow no exact optional properties.
  const transport = new StreamableHTTPClientTransport(new URL(`${revenue.api.url}/mcp`), {
    requestInit: { headers },
  }) as unknown as Parameters<Client['connect']>[0]
  await made.connect(transport)
  return made
}

async function ask(name: string, given: Json, from = client) {
  const result = (await from.callTool({ name, arguments: given })) as Json
  const { text } = result.content[0]
  return { isError: result.isError === true, answer: result.isError ? text : JSON.parse(text) }
}

function post(body: unknown, headers: Record<string, string> = {}) {
  const all = {
    Authorization: `Bearer ${revenue.owner.token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...headers,
  }
  return fetch(`${revenue.api.url}/mcp`, { method: 'POST', headers: all, body: JSON.stringify(body) })
}
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

const revenue = ofFile(startRevenue)
const site = ofFile(() => revenue.shop())
beforeAll(async () => {
  await revenue.store([
    hit(site, '2026-02-02T09:00:00Z', { visitorId: ADA }, { source: 'Google', channel: 'Organic Search' }),
    hit(site, '2026-02-03T09:00:00Z', { visitorId: BEN }, { source: 'Reddit', channel: 'Organic Social' }),
  ])
  const started = (id: string, visitor_id: string, day: number, amount: number) =>
    event(
      'customer.subscription.created',
      subscription({ id, customer: `of_${id}`, items: [item(price(amount))], metadata: { visitor_id } }),
      inFebruary(day),
    )
  await revenue.deliverAll(site, [started('one', ADA, 5, 2_000), started('two', BEN, 6, 9_000)])
  client = await connect(revenue.owner.token)
})
afterAll(() => client.close())

test('mcp: a client finds the best channel by MRR of the last month', { tags: ['full'] }, async () => {
  const sites = await ask('list_sites', {})
  const { domain } = sites.answer.find((each: Json) => each.id === site.id)
  const question = { siteKey: domain, range: 'last_month', dimension: 'channel', sort: 'mrr', per_page: 1 }
  const { answer } = await ask('break_down_money', question)
  expect(answer.data).toMatchObject([{ value: 'Organic Social', mrr: 9_000 }])
})

test('mcp: the tools only read, and say what they take and answer', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('read_overview')
  for (const { name, description, inputSchema, annotations } of tools) {
    expect(annotations, name).toMatchObject({ readOnlyHint: true })
    expect(description, name).toMatch(/^[A-Z].*[^.]\.$/)
    expect(description, name).not.toContain('..')
    expect(inputSchema.type, name).toBe('object')
    expect(JSON.stringify(inputSchema), name).not.toContain('$ref')
  }
  // An assistant reads all of them before each question.
  expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(30_000)
  for (const word of ['list_sites', 'last_month', 'utm_campaign', 'starts_with', 'about']) {
    expect(client.getInstructions()).toContain(word)
  }
})

test('mcp: every read of the statistics is a tool, but for those that need a picture or many calls', async () => {
  const { tools } = await client.listTools()
  const reads = routes.filter(route => route.type === 'query' && route.procedure.startsWith('stats.'))
  const described = new Set(tools.map(({ description }) => description!.split(/\.(?: |$)/)[0]))
  const left = reads.filter(({ summary }) => !described.has(summary)).map(({ procedure }) => procedure)
  const pictures = ['goalPreview', 'pageTitlesTimeseries', 'errorTimeseries', 'clicks', 'scroll']
  const others = ['replays', 'replay', 'webVitalsTimeseries', 'webVitalsAttribution']
  expect(left).toEqual([...pictures, ...others].map(name => `stats.${name}`))
})

test('mcp: an answer says its site, range, zone and units, and what is partial', async () => {
  const range = { siteKey: site.id, from: '2026-03-05', to: '2026-03-18' }
  const { answer } = await ask('read_timeseries', { ...range, metric: 'visitors', group: 'week' })
  expect(answer.about).toEqual({
    now: expect.stringMatching(/^2026-03-18T/),
    site: expect.any(String),
    time_zone: expect.any(String),
    from: '2026-03-05',
    to: '2026-03-18',
    units: expect.stringMatching(/minor units of [A-Z]{3}: 100 are 1\.00 [A-Z]{3}/),
    partial: [
      'the first week, which begins on 2026-03-02: only from 2026-03-05',
      'the last week, which ends on 2026-03-22: only to 2026-03-18',
      '2026-03-18, which still runs: only until now',
    ],
  })
  const whole = await ask('read_overview', { siteKey: site.id, range: 'last_month' })
  expect(whole.answer.about).toMatchObject({ from: '2026-02-01', to: '2026-02-28' })
  expect(whole.answer.about).not.toHaveProperty('partial')
  const { content } = (await client.callTool({
    name: 'list_segments',
    arguments: { siteKey: site.id },
  })) as Json
  expect(content.map(({ text }: { text: string }) => JSON.parse(text))).toEqual([
    [],
    { about: expect.objectContaining({ site: expect.any(String) }) },
  ])
})

test('mcp: a list has five rows unless more are asked for', async () => {
  const paths = Array.from({ length: 12 }, (_, number) => `/${'long/'.repeat(40)}${number}`)
  await revenue.store(paths.map(url => hit(site, '2026-03-10T09:00:00Z', { visitorId: ADA, url })))
  const question = { siteKey: site.id, from: '2026-03-10', to: '2026-03-10', dimension: 'path' }
  const { answer } = await ask('break_down_traffic', question)
  expect(answer.data).toHaveLength(5)
  expect(answer.meta).toMatchObject({ per_page: 5, total: 12 })
  const all = await ask('break_down_traffic', { ...question, per_page: 12 })
  expect(all.answer.data).toHaveLength(12)
})

test('mcp: filters and operators are those of the API', async () => {
  const range = { siteKey: site.id, range: 'last_month' }
  const all = await ask('read_overview', range)
  const google = await ask('read_overview', { ...range, filters: { source: 'Google' } })
  const others = await ask('read_overview', { ...range, filters: { source: { is_not: ['Google', 'Bing'] } } })
  const visitors = [all, google, others].map(({ answer }) => answer.visitors)
  expect(visitors).toEqual([2, 1, 1])
})

test.each([
  ['read_overview', { range: 'last_month' }, /^siteKey is required$/],
  ['read_overview', { siteKey: 'unknown.example' }, /No such site/],
  ['read_overview', { siteKey: 'SITE', range: 'next_month' }, /range must be/],
  ['read_overview', { siteKey: 'SITE', period: 'month' }, /no argument period: it has .*range/],
  ['read_overview', { siteKey: 'SITE', filters: { sauce: 'x' } }, /no filter sauce: it has .*source/],
  ['read_overview', { siteKey: 'SITE', filters: ['Google'] }, /filters must be an object/],
  ['read_overview', { siteKey: 'SITE', filters: { source: { like: ['x'] } } }, /source must be/],
  ['list_sites', { filters: { source: 'x' } }, /no filter source: it has none/],
])('mcp: %s with %j says what is wrong', async (name, given: Json, reason) => {
  const asked = given.siteKey === 'SITE' ? { ...given, siteKey: site.id } : given
  const { isError, answer } = await ask(name, asked)
  expect(isError).toBe(true)
  expect(answer).toMatch(reason)
})

test('mcp: imported totals are added where they are asked for, and not explained', {
  tags: ['full'],
}, async () => {
  const { db } = revenue.api.services
  await importInto(db, site, 'UTC', 'date,visitors,visits\n2026-01-31,5,7\n', {
    name: 'imported_visitors.csv',
  })
  const question = { siteKey: site.id, from: '2026-01-31', to: '2026-02-02' }
  const own = await ask('read_overview', question)
  const both = await ask('read_overview', { ...question, imported: true })
  expect([own.answer.visitors, both.answer.visitors]).toEqual([1, 6])
  expect(both.answer.imported).toMatchObject({ used: true, sources: ['Plausible'] })
  const byDay = { ...question, metric: 'sessions', group: 'day', imported: true }
  const series = await ask('read_timeseries', byDay)
  expect(series.answer.values).toEqual([7, 0, 1])
  const explained = await ask('explain_number', { ...question, metric: 'visitors' })
  expect(explained.answer.number).toBe(1)
  const refused = await ask('explain_number', { ...question, metric: 'visitors', imported: true })
  expect(refused).toMatchObject({ isError: true, answer: expect.stringMatching(/no argument imported/) })
})

test('mcp: a token reads the sites that it may, and needs the scope to read', async () => {
  const other = await revenue.shop()
  const limited = await connect(await revenue.api.token(revenue.owner, { siteIds: [other.id] }))
  const sites = await ask('list_sites', {}, limited)
  expect(sites.answer.map((each: Json) => each.id)).toEqual([other.id])
  const refused = await ask('read_overview', { siteKey: site.id }, limited)
  expect(refused).toEqual({ isError: true, answer: 'No such site' })
  await limited.close()
  const server = await connect(await revenue.api.token(revenue.owner, { scopes: ['ingest'] }))
  const unread = await ask('read_overview', { siteKey: site.id }, server)
  expect(unread).toEqual({ isError: true, answer: 'The token does not have the scope read' })
  await server.close()
})

test('mcp: nothing is answered without a valid token, or to pages of other origins', async () => {
  const none = await post(LIST, { Authorization: '' })
  const unknown = await post(LIST, { Authorization: 'Bearer nonsense' })
  expect([none.status, unknown.status]).toEqual([401, 401])
  expect(unknown.headers.get('WWW-Authenticate')).toBe('Bearer')
  const foreign = await post(LIST, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' })
  expect(foreign.status).toBe(403)
})

test.each([
  [[LIST], 422],
  [{ hello: 1 }, 400],
  [{ ...LIST, method: 'resources/list' }, 200],
  [{ ...LIST, method: 'tools/call', params: { name: 'delete_site' } }, 200],
])('mcp: %j is answered %i, with the reason', async (message, status) => {
  const answer = await post(message)
  expect(answer.status).toBe(status)
  expect(JSON.stringify(await answer.json())).toMatch(/message/)
})

test('mcp: each message is charged once to the token', async () => {
  const { limits } = revenue.api.services.config
  const before = limits.api
  limits.api = 100
  const remaining = async (message: unknown) =>
    Number((await post(message)).headers.get('X-RateLimit-Remaining'))
  const first = await remaining(LIST)
  const call = { ...LIST, method: 'tools/call', params: { name: 'list_sites', arguments: {} } }
  expect([await remaining(call), await remaining(call)]).toEqual([first - 1, first - 2])
  // Over the limit, a tool says so as its answer; other messages are refused.
  limits.api = 1
  const over = await post(call)
  expect([over.status, (await post(LIST)).status]).toEqual([200, 429])
  expect(Number(over.headers.get('Retry-After'))).toBeGreaterThan(0)
  const { result } = (await over.json()) as Json
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/1 requests? a minute.*after \d+ seconds/) }],
  })
  limits.api = before
})

test('mcp: there is nothing to stream and no session to end', async () => {
  const headers = { Authorization: `Bearer ${revenue.owner.token}`, Accept: 'text/event-stream' }
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(`${revenue.api.url}/mcp`, { method, headers })
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS'])
  }
})
