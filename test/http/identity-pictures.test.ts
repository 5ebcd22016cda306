import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { avatarOf } from '../../src/stats/identity/avatar.ts'
import { type Api, type Member, startApi } from '../support/api.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPool } from '../support/in-process-pool.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\nnot much of a picture', 'latin1')
const START = Date.UTC(2026, 2, 1, 12)
const HOUR = 3_600_000

let web: Server
let origin: string
let served: { status: number; body: Buffer | string; headers?: Record<string, string> }
let asked: string[] = []
let now = START

let api: Api
let owner: Member

beforeAll(async () => {
  web = createServer((req, res) => {
    asked.push(`${req.headers.host}${req.url}`)
    res.writeHead(served.status, { 'Content-Type': 'text/html', ...served.headers }).end(served.body)
  })
  await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
  origin = `http://pictures.example:${(web.address() as AddressInfo).port}`
  api = await startApi({
    now: () => new Date(now),
    config: { sitesPerTeam: 1_000, baseUrl: 'https://analytics.example' },
    reach: {
      resolve: async host => (host === 'inside.example' ? ['10.0.0.1'] : ['127.0.0.1']),
      isAllowed: address => address === '127.0.0.1',
      timeoutMs: 30_000,
      maxBytes: 10_000,
    },
  })
  api.services.rollups = inProcessPool(api.services.db)
  owner = await api.member()
})
afterAll(async () => {
  web.close()
  await api.close()
})
beforeEach(() => {
  now += 30 * 24 * HOUR
  served = { status: 200, body: PNG }
  asked = []
})

interface Visit {
  site: { id: string; siteNo: number; key: string }
  visitorId: string
  /** `avatar_url` as the event log returns it. */
  avatarUrl: string
}

/** Stores a visit of a user with this identifier and picture. */
async function visit(
  avatar: string | undefined,
  { identifier = 'user-42', ...given }: Partial<Visit> & { identifier?: string } = {},
): Promise<Visit> {
  const site = given.site ?? (await register())
  const visitorId = given.visitorId ?? randomUUID()
  const identity = { identifier, ...(avatar !== undefined && { avatar }) }
  now += 1_000
  await storeHits(api.services.db, 0, [
    enrichedHit(site, now - 500, { visitorId }),
    enrichedHit(site, now - 400, { visitorId, type: 'identify', identity }),
  ])
  const { body } = await api.call('GET', `/api/sites/${site.id}/stats/events`, { token: owner.token })
  const item = body.data.find((each: { visitor_id: string }) => each.visitor_id === visitorId)
  expect(item.user_id).toBe(identifier)
  return { site, visitorId, avatarUrl: item.avatar_url }
}

async function register(): Promise<Visit['site']> {
  const body = { domain: `${randomUUID()}.example` }
  const { id, tracking_key: key } = (await api.call('POST', '/api/sites', { token: owner.token, body })).body
  const [row] = await api.services.db`select site_no from sites where id = ${id}`
  return { id, siteNo: row!.site_no, key }
}

async function show(avatarUrl: string, method = 'GET') {
  const response = await fetch(api.url + new URL(avatarUrl).pathname, { method })
  const bytes = Buffer.from(await response.arrayBuffer())
  return {
    status: response.status,
    headers: response.headers,
    type: response.headers.get('content-type'),
    bytes,
  }
}

const generated = (visitorId: string) => Buffer.from(avatarOf(visitorId))

test('avatars: the picture of an identity is served by the service and fetched once a day', async () => {
  const avatar = `${origin}/ada.png?size=80`
  const { avatarUrl, visitorId } = await visit(avatar)
  expect(avatarUrl).toMatch(new RegExp(`^https://analytics\\.example/avatars/${visitorId}/[A-Za-z0-9_-]+$`))
  expect(asked).toEqual([])
  const { status, headers, type, bytes } = await show(avatarUrl)
  expect([status, type, bytes]).toEqual([200, 'image/png', PNG])
  expect(headers.get('cache-control')).toBe('private, max-age=86400')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
  await Promise.all(Array.from({ length: 10 }, () => show(avatarUrl)))
  now += 23 * HOUR
  expect((await show(avatarUrl, 'HEAD')).type).toBe('image/png')
  expect(asked).toEqual([avatar.slice('http://'.length)])
  now += 2 * HOUR
  await show(avatarUrl)
  expect(asked).toHaveLength(2)
})

test('avatars: responses hide the address of the picture, and its URL also hides the identifier', async () => {
  const { avatarUrl, site } = await visit(`${origin}/ada.png`, { identifier: 'ada@example.com' })
  const { body } = await api.call('GET', `/api/sites/${site.id}/stats/events`, { token: owner.token })
  expect(JSON.stringify(body)).not.toContain('ada.png')
  const opaque = new URL(avatarUrl).pathname.split('/').at(-1)!
  const bytes = Buffer.from(opaque, 'base64url').toString('latin1')
  for (const text of [avatarUrl, bytes]) {
    for (const told of ['ada@', 'pictures.example']) expect(text).not.toContain(told)
  }
})

test('avatars: the URL is the same for the same picture and differs for another', async () => {
  const first = await visit(`${origin}/a.png`)
  expect((await visit(`${origin}/a.png`, first)).avatarUrl).toBe(first.avatarUrl)
  const { avatarUrl } = await visit(`${origin}/b.png`, first)
  expect(avatarUrl).not.toBe(first.avatarUrl)
  await show(avatarUrl)
  expect(asked.map(each => each.split('/').at(-1))).toEqual(['b.png'])
})

test.each([
  ['an error', { status: 404, body: PNG }],
  ['a redirect', { status: 302, body: '', headers: { Location: '/elsewhere.png' } }],
  ['a page', { status: 200, body: '<!doctype html><p>Hello' }],
  ['SVG', { status: 200, body: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' }],
  ['too much', { status: 200, body: Buffer.concat([PNG, Buffer.alloc(10_000)]) }],
  ['nothing', { status: 200, body: '' }],
])('avatars: %s instead of a picture gives the generated one for an hour', async (_what, answer) => {
  served = answer
  const { avatarUrl, visitorId } = await visit(`${origin}/${randomUUID()}.png`)
  const { headers, type, bytes } = await show(avatarUrl)
  expect([type, bytes]).toEqual([expect.stringMatching(/^image\/svg\+xml/), generated(visitorId)])
  expect(headers.get('cache-control')).toBe('private, max-age=3600')
  await show(avatarUrl)
  expect(asked).toHaveLength(1)
  now += HOUR + 1
  served = { status: 200, body: PNG }
  expect((await show(avatarUrl)).bytes).toEqual(PNG)
})

test.each([
  'http://inside.example/a.png',
  'http://10.0.0.1/a.png',
  'http://[::1]/a.png',
  'http://169.254.169.254/latest/meta-data',
  'http://pictures.example:22/a.png',
  'ftp://pictures.example/a.png',
  'javascript:alert(1)',
  'nonsense',
])('avatars: nothing is fetched from %s', async avatar => {
  const { avatarUrl, visitorId } = await visit(avatar)
  expect((await show(avatarUrl)).bytes).toEqual(generated(visitorId))
  expect(asked).toEqual([])
})

test('avatars: a URL that the service did not issue is 404, and nothing is fetched', async () => {
  const mine = await visit(`${origin}/mine.png`)
  const other = await visit(`${origin}/other.png`)
  const { pathname } = new URL(mine.avatarUrl)
  const opaque = pathname.split('/').at(-1)!
  const swapped = opaque.slice(0, -4) + (opaque.endsWith('AAAA') ? 'BBBB' : 'AAAA')
  for (const path of [
    pathname.replace(mine.visitorId, other.visitorId),
    `/avatars/${mine.visitorId}/${swapped}`,
    `/avatars/${mine.visitorId}/${Buffer.from(`${origin}/x.png`).toString('base64url')}`,
    `/avatars/${mine.visitorId}/x`,
    `/avatars/${mine.visitorId}/${'A'.repeat(3_000)}`,
    `/avatars/nobody/${opaque}`,
  ]) {
    const response = await fetch(api.url + path)
    expect([path, response.status]).toEqual([path, 404])
    expect(response.headers.get('cache-control')).toBe('no-store')
  }
  expect(asked).toEqual([])
})

test('avatars: when its site is deleted a picture is replaced by the generated one', async () => {
  const { avatarUrl, site, visitorId } = await visit(`${origin}/gone.png`)
  expect((await show(avatarUrl)).bytes).toEqual(PNG)
  await api.call('DELETE', `/api/sites/${site.id}`, { token: owner.token })
  const { status, headers, bytes } = await show(avatarUrl)
  expect([status, bytes]).toEqual([200, generated(visitorId)])
  expect(headers.get('cache-control')).toBe('private, max-age=3600')
})

test('avatars: visitors without a picture have the generated one', async () => {
  const { avatarUrl, visitorId } = await visit(undefined)
  expect(avatarUrl).toBe(`https://analytics.example/avatars/${visitorId}.svg`)
})
