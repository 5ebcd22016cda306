import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nicknameOf } from '../../src/stats/identity/nickname.ts'
import { type Api, type Member, startApi } from '../support/api.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\nnot much of a picture', 'latin1')
const MINUTE = 60_000

let web: Server
let webPort: number
let served: { status: number; body: Buffer | string } = { status: 200, body: PNG }
let asked: string[] = []
let now = Date.UTC(2026, 0, 1)

let api: Api
let owner: Member

beforeAll(async () => {
  web = createServer((req, res) => {
    asked.push(`${req.headers.host}${req.url}`)
    res.writeHead(served.status, { 'Content-Type': 'text/html' }).end(served.body)
  })
  await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
  webPort = (web.address() as AddressInfo).port
  api = await startApi({
    now: () => new Date(now),
    config: { sitesPerTeam: 1_000 },
    reach: { resolve: async () => ['127.0.0.1'], isAllowed: () => true, timeoutMs: 30_000, maxBytes: 10_000 },
  })
  owner = await api.member()
})
afterAll(async () => {
  web.close()
  await api.close()
})
beforeEach(() => {
  served = { status: 200, body: PNG }
  asked = []
})

async function register(
  domain = `${randomUUID()}.example:${webPort}`,
): Promise<{ id: string; domain: string }> {
  const made = await api.call('POST', '/api/sites', { token: owner.token, body: { domain } })
  expect(made.status).toBe(201)
  return made.body
}

async function image(path: string, method = 'GET') {
  const response = await fetch(api.url + path, { method })
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}
const favicon = (domain: string) => image(`/favicons/${encodeURIComponent(domain)}`)

function expectImageHeaders(headers: Headers) {
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
}

describe('favicons', () => {
  test('a favicon is the file of the site, with the type of its content instead of the declared one', async () => {
    const { domain } = await register()
    const { status, headers, bytes } = await favicon(domain)
    expect([status, headers.get('content-type'), bytes]).toEqual([200, 'image/png', PNG])
    expect(headers.get('cache-control')).toBe('public, max-age=86400')
    expectImageHeaders(headers)
    expect(asked).toEqual([`${domain}/favicon.ico`])
  })

  test('a favicon is found at the favicon_url of the site', async () => {
    const site = await api.call('POST', '/api/sites', {
      token: owner.token,
      body: { domain: `bücher.example:${webPort}` },
    })
    expect((await image(new URL(site.body.favicon_url).pathname)).bytes).toEqual(PNG)
  })

  test('a favicon is fetched once a day, even for 20 concurrent requests', async () => {
    const { domain } = await register()
    await Promise.all(Array.from({ length: 20 }, () => favicon(domain)))
    now += 23 * 60 * MINUTE
    expect((await favicon(domain)).bytes).toEqual(PNG)
    expect(asked).toHaveLength(1)
    now += 61 * MINUTE
    await favicon(domain)
    expect(asked).toHaveLength(2)
  })

  test.each([
    ['an error', 404, PNG],
    ['a redirect', 301, PNG],
    ['a page', 200, '<!doctype html><p>Hello'],
    ['SVG', 200, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['too much', 200, Buffer.concat([PNG, Buffer.alloc(10_000)])],
    ['nothing', 200, ''],
  ])('a favicon is a letter for an hour when the site serves %s', async (_what, status, body) => {
    served = { status, body }
    const { domain } = await register(`www.${randomUUID().replace(/^./, 'q')}.example:${webPort}`)
    const { headers, bytes } = await favicon(domain)
    expect(headers.get('content-type')).toMatch(/^image\/svg\+xml/)
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    expectImageHeaders(headers)
    expect(bytes.toString()).toMatch(/^<svg .*>Q<\/text><\/svg>$/)
    expect(bytes.toString()).not.toContain('script')
    expect((await favicon(domain)).bytes).toEqual(bytes)
    expect(asked).toHaveLength(1)
    now += 61 * MINUTE
    served = { status: 200, body: PNG }
    expect((await favicon(domain)).bytes).toEqual(PNG)
  })

  test.each([
    ['ünder.example', 'Ü'],
    ['7seas.example', '7'],
    ['例え.example', '例'],
    ['192.0.2.9', '1'],
  ])('a favicon of %s is the letter %s', async (domain, letter) => {
    served = { status: 404, body: '' }
    const site = await register(domain)
    expect((await favicon(site.domain)).bytes.toString()).toContain(`>${letter}</text>`)
  })

  test('a favicon is never fetched from ports of other services than websites', async () => {
    for (const port of [22, 25, 1023]) {
      const { domain } = await register(`${randomUUID()}.example:${port}`)
      expect((await favicon(domain)).headers.get('content-type')).toMatch(/svg/)
    }
    expect(asked).toEqual([])
  })

  test.each([
    'unknown.example',
    'not a domain',
    'a\0b',
    '127.0.0.1',
    'localhost',
    'x'.repeat(5_000),
    '...',
    '<svg>',
  ])('a favicon of %j, which is not a site, is 404 and nothing is fetched', async domain => {
    const { status, headers, bytes } = await favicon(domain)
    expect(status).toBe(404)
    expect(JSON.parse(bytes.toString()).code).toBe('not_found')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(asked).toEqual([])
  })

  test('a favicon is 404 after its site was deleted', async () => {
    const { id, domain } = await register()
    expect((await favicon(domain)).status).toBe(200)
    await api.call('DELETE', `/api/sites/${id}`, { token: owner.token })
    expect((await favicon(domain)).status).toBe(404)
  })

  test('needs GET or HEAD', async () => {
    const { domain } = await register()
    const path = `/favicons/${encodeURIComponent(domain)}`
    const head = await image(path, 'HEAD')
    expect([head.status, head.headers.get('content-type'), head.bytes.length]).toEqual([200, 'image/png', 0])
    const posted = await image(path, 'POST')
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

test('favicons: by default nothing is fetched from the local machine', async () => {
  const { createFavicons } = await import('../../src/sites/favicons.ts')
  const { domain } = await register(`localhost:${webPort}`)
  const icon = await createFavicons(api.services.db, () => new Date()).find(domain)
  expect(icon.type).toBe('image/svg+xml')
  expect(asked).toEqual([])
})

describe('avatars', () => {
  test('an avatar may be cached forever and names the visitor', async () => {
    const id = randomUUID()
    const { status, headers, bytes } = await image(`/avatars/${id}.svg`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^image\/svg\+xml/)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expectImageHeaders(headers)
    expect(bytes.toString()).toContain(`<title>${nicknameOf(id)}</title>`)
    expect((await image(`/avatars/${id.toUpperCase()}.svg`)).bytes).toEqual(bytes)
  })

  test.each([
    'nobody.svg',
    `${randomUUID()}`,
    `${randomUUID()}.png`,
    `${randomUUID()}x.svg`,
    '.svg',
    '%00.svg',
    '..%2Fx.svg',
  ])('an avatar is not found at %s', async file => {
    expect((await image(`/avatars/${file}`)).status).toBe(404)
  })
})
