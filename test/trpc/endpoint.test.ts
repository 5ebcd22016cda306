import { gzipSync } from 'node:zlib'
import { TRPCClientError } from '@trpc/client'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { MAX_BATCH } from '../../src/http/api/trpc.ts'
import { type Answer, startApi } from '../support/api.ts'
import { ofFile } from '../support/of-file.ts'

const api = ofFile(() => startApi({ now: () => NOW }))
/** The clock stands still: limits count by the minute. */
const NOW = new Date()

const owner = ofFile(() => api.member())

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.call(method, `/trpc/${path}`, { token: owner.token, body, headers })

/** What a tRPC error must carry besides its protocol. */
function expectError(answer: Answer, status: number, code: string) {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toContain('application/json')
  expect(answer.body.error.data).toMatchObject({
    code,
    httpStatus: status,
    message: answer.body.error.message,
    request_id: answer.headers.get('x-request-id'),
  })
  expect(JSON.stringify(answer.body)).not.toContain('stack')
}

test('tRPC, a typed client: creates, reads, lists and deletes a site', async () => {
  const client = createClient(`${api.url}/`, owner.token)
  const site = await client.sites.create.mutate({ domain: 'typed.com' })
  expect(await client.sites.get.query({ siteKey: 'typed.com' })).toEqual(site)
  const [list, overview] = await Promise.all([
    client.sites.list.query({ search: 'typed' }),
    client.stats.overview.query({ siteKey: site.id, range: 'last_7_days' }),
  ])
  expect(list.map(item => item.id)).toEqual([site.id])
  expect(overview.days).toBe(7)
  const listed = async () => (await client.sites.list.query()).some(item => item.id === site.id)
  expect(await listed()).toBe(true)
  expect(await client.sites.delete.mutate({ siteKey: site.id })).toBeUndefined()
  expect(await listed()).toBe(false)
})

test('tRPC, a typed client: a tRPC client gets the code and the fields of an error, and the results and errors of a batch', async () => {
  const client = createClient(api.url, owner.token)
  const error = await client.sites.create.mutate({ domain: '' }).catch(caught => caught)
  expect(error).toBeInstanceOf(TRPCClientError)
  expect(error.data).toMatchObject({
    code: 'validation_failed',
    httpStatus: 422,
    errors: { domain: expect.arrayContaining(['is required']) },
    request_id: expect.any(String),
  })
  const [found, missing] = await Promise.allSettled([
    client.sites.list.query({}),
    client.sites.get.query({ siteKey: 'unknown.com' }),
  ])
  expect(found.status).toBe('fulfilled')
  expect(missing).toMatchObject({ reason: { data: { code: 'not_found', httpStatus: 404 } } })
})

test('tRPC, a typed client: a query as POST has the answer of the query as GET, also with filters longer than a URL', async () => {
  const posted = await call('POST', 'sites.list', { sort: 'domain_asc' })
  expect(posted.status).toBe(200)
  const got = await call('GET', `sites.list?input=${encodeURIComponent('{"sort":"domain_asc"}')}`)
  expect(posted.body).toEqual(got.body)
  expectError(await api.call('POST', '/trpc/sites.list', { body: {} }), 401, 'unauthenticated')
  expectError(await call('POST', 'sites.list', { sort: 'x' }), 422, 'validation_failed')

  const paths = Array.from({ length: 50 }, (_, index) => `/${index}/${'a'.repeat(500)}`)
  const query = { siteKey: 'long.example', path: paths }
  await call('POST', 'sites.create', { domain: 'long.example' })
  const long = await call('POST', 'stats.overview', query)
  expect(long.status).toBe(200)
  expect(long.body.result.data.pageviews).toBe(0)
  const client = createClient(api.url, owner.token)
  expect(await client.stats.overview.query(query)).toEqual(long.body.result.data)
})

test.each([
  ['POST', 'stats.overview', { siteKey: 'fields.example', contry: 'DE' }, 422, 'contry'],
  [
    'GET',
    'stats.breakdown',
    { siteKey: 'fields.example', dimension: 'path', per_pages: 5 },
    422,
    'per_pages',
  ],
  ['POST', 'sites.list', { serch: 'a' }, 422, 'serch'],
  ['POST', 'options.currencies', { id: 1 }, 422, 'id'],
  ['POST', 'goals.create', { siteKey: 'fields.example', nmae: 'b' }, 422, 'nmae'],
  // First what the caller may not know.
  ['POST', 'stats.overview', { siteKey: 'unknown.example', contry: 'DE' }, 404, ''],
] as const)(
  'tRPC, fields that a procedure does not have: case %#: %s %s is refused, and the field named',
  async (method, path, input, status, field) => {
    await call('POST', 'sites.create', { domain: 'fields.example' })
    const asked = method === 'GET' ? `${path}?input=${encodeURIComponent(JSON.stringify(input))}` : path
    const answer = await call(method, asked, method === 'POST' ? input : undefined)
    expectError(answer, status, status === 422 ? 'validation_failed' : 'not_found')
    const { errors = {} } = answer.body.error.data
    expect(Object.keys(errors)).toEqual(field === '' ? [] : [field])
    if (field === 'contry') expect(errors.contry[0]).toContain('country')
  },
)

test('tRPC, fields that a procedure does not have: in REST they are left out, and the header names those of the query', async () => {
  const path = '/api/sites/fields.example/overview?contry=DE'
  const { status, headers } = await api.call('GET', path, { token: owner.token })
  expect([status, headers.get('x-ignored-parameters')]).toEqual([200, 'contry'])
})

const json = { 'Content-Type': 'application/json' }

test('tRPC: errors: status and code are the same as over REST', async () => {
  const big = { domain: 'x'.repeat(300_000) }
  const bomb = [gzipSync(' '.repeat(1_000_000)), { ...json, 'Content-Encoding': 'gzip' }] as const
  const html = { 'Content-Type': 'text/html' }
  expectError(await api.call('GET', '/trpc/sites.list'), 401, 'unauthenticated')
  expectError(await call('GET', 'sites.get?input={"siteKey":"unknown.com"}'), 404, 'not_found')
  expectError(await call('GET', 'sites.get'), 422, 'validation_failed')
  expectError(await call('GET', 'sites.list?input={"sort":"x"}'), 422, 'validation_failed')
  expectError(await call('POST', 'sites.create', []), 422, 'validation_failed')
  expectError(await call('POST', 'sites.create', '{', json), 400, 'malformed_json')
  expectError(await call('GET', 'sites.get?input={'), 400, 'malformed_json')
  expectError(await call('POST', 'sites.create', 'x', html), 415, 'unsupported_media_type')
  expectError(await call('POST', 'sites.create', big), 413, 'payload_too_large')
  expectError(await call('POST', 'sites.create', ...bomb), 413, 'payload_too_large')
  const lapsed = await api.member({ plan: 'lapsed' })
  const answer = await api.call('POST', '/trpc/sites.create', { token: lapsed.token, body: {} })
  expectError(answer, 403, 'forbidden')
  // The token is checked before the body.
  const unknown = await api.call('POST', '/trpc/sites.create', { body: '{', headers: json })
  expectError(unknown, 401, 'unauthenticated')
})

test('tRPC: errors: an unknown procedure gives 404', async () => {
  const unknown = 'nothing sites sites.nothing sites.constructor a/b constructor __proto__'.split(' ')
  for (const name of unknown) expect((await call('GET', name)).status, name).toBe(404)
})

test('tRPC: errors: the wrong method gives 405 and names the right one', async () => {
  const answer = await call('GET', 'sites.create')
  expectError(answer, 405, 'method_not_allowed')
  expect(answer.headers.get('allow')).toBe('POST')
  for (const name of ['sites.create', 'sites.list']) expect((await call('PUT', name, {})).status).toBe(405)
})

test('tRPC: errors: a path that cannot be decoded gives 400', async () => {
  expect((await call('GET', '%E0%A4%A')).status).toBe(400)
})

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('tRPC: nested input: more than 32 levels give 422 in a body and in a query, after the token is checked, and for every call of a batch', async () => {
  for (const [field, method, path, body] of [
    ['body', 'POST', 'sites.create', deep(33)],
    ['input', 'GET', `sites.get?input=${encodeURIComponent(deep(33))}`, undefined],
  ] as const) {
    const answer = await call(method, path, body, json)
    expectError(answer, 422, 'validation_failed')
    expect(answer.body.error.data.errors).toEqual({ [field]: [expect.stringContaining('32 levels')] })
    expectError(await api.call(method, `/trpc/${path}`, { body, headers: json }), 401, 'unauthenticated')
  }
  const { status, body } = await call('GET', `sites.get,sites.get?batch=1&input={"0":${deep(33)}}`)
  expect(status).toBe(422)
  const codes = body.map((each: Answer['body']) => each.error.data.code)
  expect(codes).toEqual(Array(2).fill('validation_failed'))
})

test('tRPC: nested input: 32 levels are parsed, and then refused by the schema', async () => {
  const answer = await call('POST', 'sites.create', deep(32), json)
  expectError(answer, 422, 'validation_failed')
  expect(answer.body.error.message).not.toContain('32 levels')
})

test('tRPC, batches: a request for a stream is refused with 400, by either header', async () => {
  const asking = { 'trpc-accept': 'application/jsonl', Accept: 'text/html, application/jsonl' }
  for (const [name, value] of Object.entries(asking)) {
    const answer = await call('GET', 'sites.list,sites.list?batch=1&input={}', undefined, { [name]: value })
    expectError(answer, 400, 'bad_request')
  }
})

test('tRPC, batches: a batch that is too long is refused with one 400', async () => {
  const names = (count: number) => Array(count).fill('sites.list').join(',')
  expectError(await call('GET', `${names(MAX_BATCH + 1)}?batch=1&input={}`), 400, 'bad_request')
  expectError(await call('GET', `${names(1_000)}?batch=1`), 400, 'bad_request')
  const inputs = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [index, {}]))
  const answer = await call('POST', `sites.create?batch=1`, inputs)
  expect([answer.status, answer.body.length]).toEqual([422, 1])
})

test('tRPC, batches: each call is charged, and every answer has the rate headers, errors too', async () => {
  const { limits } = api.services.config
  limits.api = 3
  try {
    const member = await api.member()
    const ask = (path: string) => api.call('GET', `/trpc/${path}`, { token: member.token })
    const bad = await ask(`sites.get,sites.get?batch=1&input={"0":${'['.repeat(33)}${']'.repeat(33)}}`)
    expect([bad.status, bad.headers.get('x-ratelimit-remaining')]).toEqual([422, '1'])
    const over = await ask('sites.list,sites.list?batch=1')
    expect(over.status).toBe(207)
    expect(over.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(over.headers.get('retry-after')).toMatch(/^\d+$/)
    const codes = over.body.map((each: Answer['body']) => each.error?.data.code)
    expect(codes.toSorted()).toEqual(['rate_limited', undefined])
  } finally {
    limits.api = 0
  }
})

test('tRPC: a gzipped body is accepted', async () => {
  const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' }
  const answer = await call('POST', 'sites.create', gzipSync(JSON.stringify({ domain: 'zip.com' })), headers)
  expect(answer.status).toBe(200)
})
