import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { createFavicons } from '../../../src/access/sites/favicons.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { avatarOf } from '../../../src/stats/identity/avatar.ts'
import { nicknameOf } from '../../../src/stats/identity/nickname.ts'
import { startApi } from '../../support/api.ts'
import { enrichedHit } from '../../support/hits.ts'
import { startLocalServer } from '../../support/local-server.ts'
import { ofFile } from '../../support/of-file.ts'

const HOUR = 3_600_000

const PNG = Buffer.from('\x89PNG\r\n\x1a\nnot much of a picture', 'latin1')

interface Served {
  status: number
  body: Buffer | string
  headers?: Record<string, string>
}

/** What may come instead of a picture; what fetching and looking at it refuse besides is in test/platform/net. */
const NO_PICTURES: [string, Served][] = [
  ['an error', { status: 404, body: PNG }],
  ['a redirect', { status: 302, body: '', headers: { Location: '/elsewhere.png' } }],
  ['SVG', { status: 200, body: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' }],
  ['too much', { status: 200, body: Buffer.concat([PNG, Buffer.alloc(10_000)]) }],
]

/** A foreign web server, which notes what it is asked for and says what it is told to, under a wrong type. */
const web = ofFile(async () => {
  const server = await startLocalServer((request, response) => {
    web.asked.push(`${request.headers.host}${request.url}`)
    const { status, body, headers } = web.served
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body)
  })
  const origin = `http://pictures.example:${server.port}`
  return { ...server, origin, served: { status: 200, body: PNG } as Served, asked: [] as string[] }
})

const reset = () => void Object.assign(web, { served: { status: 200, body: PNG }, asked: [] })

/** A picture of the service, and what it is sent with. */
async function getPicture(url: string, method = 'GET') {
  const response = await fetch(url, { method })
  const { status, headers } = response
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status, headers, type: headers.get('content-type'), bytes, maxAge: headers.get('cache-control') }
}

/** What every picture is sent with. */
const SAFE = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
}

let now = Date.UTC(2026, 2, 1, 12)

const api = ofFile(() =>
  startApi({
    now: () => new Date(now),
    config: { baseUrl: 'https://analytics.example' },
    reach: {
      resolve: async host => (host === 'inside.example' ? ['10.0.0.1'] : ['127.0.0.1']),
      isAllowed: address => address === '127.0.0.1',
      timeoutMs: 30_000,
      maxBytes: 10_000,
    },
  }),
)
const owner = ofFile(() => api.member())
beforeEach(() => {
  now += 30 * 24 * HOUR
  reset()
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
  const site = given.site ?? (await newSite())
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

const newSite = (domain = `${randomUUID()}.example:${web.port}`) => api.site(owner, { domain })

const image = (path: string, method?: string) => getPicture(api.url + path, method)
const show = (url: string, method?: string) => image(new URL(url).pathname, method)
const favicon = (domain: string, method?: string) => image(`/favicons/${encodeURIComponent(domain)}`, method)
const generated = (visitorId: string) => Buffer.from(avatarOf(visitorId))

test('pictures: requests from one address are limited', async () => {
  await api.services.redis.flushall()
  api.services.config.limits.browser = 2
  const { avatarUrl } = await visit(undefined)
  const { headers } = await favicon('unknown.example')
  const second = await favicon('unknown.example')
  expect([headers.get('x-ratelimit-remaining'), second.status]).toEqual(['1', 404])
  expect([(await show(avatarUrl)).status, (await favicon('unknown.example')).status]).toEqual([200, 429])
  api.services.config.limits.browser = 600
})

test('avatars: the picture of an identity is served by the service and fetched once a day', async () => {
  const avatar = `${web.origin}/ada.png?size=80`
  const { avatarUrl, visitorId } = await visit(avatar)
  expect(avatarUrl).toMatch(new RegExp(`^https://analytics\\.example/avatars/${visitorId}/[A-Za-z0-9_-]+$`))
  expect(web.asked).toEqual([])
  const { status, headers, type, bytes, maxAge } = await show(avatarUrl)
  expect([status, type, bytes, maxAge]).toEqual([200, 'image/png', PNG, 'private, max-age=86400'])
  expect(Object.fromEntries(headers)).toMatchObject(SAFE)
  await Promise.all(Array.from({ length: 10 }, () => show(avatarUrl)))
  now += 23 * HOUR
  expect((await show(avatarUrl, 'HEAD')).type).toBe('image/png')
  expect(web.asked).toEqual([avatar.slice('http://'.length)])
  now += 2 * HOUR
  await show(avatarUrl)
  expect(web.asked).toHaveLength(2)
})

test('avatars: responses and URLs hide the address of the picture and the identifier; each picture has its own URL', async () => {
  const first = await visit(`${web.origin}/ada.png`, { identifier: 'ada@example.com' })
  const { body } = await api.call('GET', `/api/sites/${first.site.id}/stats/events`, { token: owner.token })
  const bytes = Buffer.from(new URL(first.avatarUrl).pathname.split('/').at(-1)!, 'base64url').toString(
    'latin1',
  )
  expect(JSON.stringify(body)).not.toContain('ada.png')
  for (const text of [first.avatarUrl, bytes]) expect(text).not.toMatch(/ada@|pictures\.example/)
  const same = { ...first, identifier: 'ada@example.com' }
  expect((await visit(`${web.origin}/ada.png`, same)).avatarUrl).toBe(first.avatarUrl)
  const { avatarUrl } = await visit(`${web.origin}/b.png`, same)
  expect(avatarUrl).not.toBe(first.avatarUrl)
  await show(avatarUrl)
  expect(web.asked.map(each => each.split('/').at(-1))).toEqual(['b.png'])
})

test.each(NO_PICTURES)(
  'avatars and favicons: %s instead of a picture gives a made one for an hour',
  async (_what, served) => {
    web.served = served
    const { avatarUrl, visitorId } = await visit(`${web.origin}/${randomUUID()}.png`)
    const { domain } = await newSite(`www.${randomUUID().replace(/^./, 'q')}.example:${web.port}`)
    for (const [ask, maxAge] of [
      [() => show(avatarUrl), 'private, max-age=3600'],
      [() => favicon(domain), 'public, max-age=3600'],
    ] as const) {
      web.asked = []
      const made = await ask()
      expect([made.type, made.maxAge]).toEqual([expect.stringMatching(/^image\/svg\+xml/), maxAge])
      expect(Object.fromEntries(made.headers)).toMatchObject(SAFE)
      expect(made.bytes.toString()).not.toContain('script')
      expect((await ask()).bytes).toEqual(made.bytes)
      expect(web.asked).toHaveLength(1)
    }
    expect((await show(avatarUrl)).bytes).toEqual(generated(visitorId))
    expect((await favicon(domain)).bytes.toString()).toMatch(/^<svg .*>Q<\/text><\/svg>$/)
    now += HOUR + 1
    reset()
    expect([(await show(avatarUrl)).bytes, (await favicon(domain)).bytes]).toEqual([PNG, PNG])
  },
)

test.each([
  ...['http://inside.example/a.png', 'http://10.0.0.1/a.png', 'http://[::1]/a.png'],
  ...['http://169.254.169.254/latest/meta-data', 'http://pictures.example:22/a.png'],
  ...['ftp://pictures.example/a.png', 'javascript:alert(1)', 'nonsense'],
])('avatars: nothing is fetched from %s', async avatar => {
  const { avatarUrl, visitorId } = await visit(avatar)
  expect((await show(avatarUrl)).bytes).toEqual(generated(visitorId))
  expect(web.asked).toEqual([])
})

test('avatars: a URL that the service did not issue is 404, and nothing is fetched', async () => {
  const mine = await visit(`${web.origin}/mine.png`)
  const other = await visit(`${web.origin}/other.png`)
  const { pathname } = new URL(mine.avatarUrl)
  const opaque = pathname.split('/').at(-1)!
  const swapped = opaque.slice(0, -4) + (opaque.endsWith('AAAA') ? 'BBBB' : 'AAAA')
  for (const path of [
    pathname.replace(mine.visitorId, other.visitorId),
    `/avatars/${mine.visitorId}/${swapped}`,
    `/avatars/${mine.visitorId}/${Buffer.from(`${web.origin}/x.png`).toString('base64url')}`,
    `/avatars/${mine.visitorId}/x`,
    `/avatars/${mine.visitorId}/${'A'.repeat(3_000)}`,
    `/avatars/nobody/${opaque}`,
  ]) {
    const response = await fetch(api.url + path)
    expect([path, response.status]).toEqual([path, 404])
    expect(response.headers.get('cache-control')).toBe('no-store')
  }
  expect(web.asked).toEqual([])
})

test('avatars: visitors without a picture, and those of a deleted site, have the generated one', async () => {
  const without = await visit(undefined)
  expect(without.avatarUrl).toBe(`https://analytics.example/avatars/${without.visitorId}.svg`)
  const { avatarUrl, site, visitorId } = await visit(`${web.origin}/gone.png`)
  expect((await show(avatarUrl)).bytes).toEqual(PNG)
  await api.call('DELETE', `/api/sites/${site.id}`, { token: owner.token })
  const { status, bytes, maxAge } = await show(avatarUrl)
  expect([status, bytes, maxAge]).toEqual([200, generated(visitorId), 'private, max-age=3600'])
})

test('favicons: one is the file of the site, with the type of its content instead of the declared one, until the site is deleted', async () => {
  const { id, domain } = await newSite()
  const { status, headers, type, maxAge, bytes } = await favicon(domain)
  expect([status, type, maxAge, bytes]).toEqual([200, 'image/png', 'public, max-age=86400', PNG])
  expect(Object.fromEntries(headers)).toMatchObject(SAFE)
  expect(web.asked).toEqual([`${domain}/favicon.ico`])
  const head = await favicon(domain, 'HEAD')
  expect([head.status, head.type, head.bytes.length]).toEqual([200, 'image/png', 0])
  const posted = await favicon(domain, 'POST')
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  await api.call('DELETE', `/api/sites/${id}`, { token: owner.token })
  expect((await favicon(domain)).status).toBe(404)
})

test('favicons: one is fetched once a day, even for 20 concurrent requests', async () => {
  const { favicon_url: url } = await newSite(`bücher.example:${web.port}`)
  await Promise.all(Array.from({ length: 20 }, () => show(url)))
  now += 23 * HOUR
  expect((await show(url)).bytes).toEqual(PNG)
  expect(web.asked).toHaveLength(1)
  now += HOUR + 1
  await show(url)
  expect(web.asked).toHaveLength(2)
})

test.each([
  ['ünder.example', 'Ü'],
  ['7seas.example', '7'],
  ['例え.example', '例'],
  ['192.0.2.9', '1'],
])('favicons: one of %s is the letter %s', async (domain, letter) => {
  web.served = { status: 404, body: '' }
  const site = await newSite(domain)
  expect((await favicon(site.domain)).bytes.toString()).toContain(`>${letter}</text>`)
})

test('favicons: one is never fetched from ports of other services than websites', async () => {
  for (const port of [22, 25, 1023]) {
    const { domain } = await newSite(`${randomUUID()}.example:${port}`)
    expect((await favicon(domain)).type).toMatch(/svg/)
  }
  expect(web.asked).toEqual([])
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
])('favicons: one of %j, which is not a site, is 404 and nothing is fetched', async domain => {
  const { status, maxAge, bytes } = await favicon(domain)
  expect([status, JSON.parse(bytes.toString()).code, maxAge]).toEqual([404, 'not_found', 'no-store'])
  expect(web.asked).toEqual([])
})

test('favicons: by default nothing is fetched from the local machine', async () => {
  const { domain } = await newSite(`localhost:${web.port}`)
  const icon = await createFavicons(api.services.db, () => new Date()).find(domain)
  expect(icon.type).toBe('image/svg+xml')
  expect(web.asked).toEqual([])
})

test('avatars: one may be cached forever and names the visitor', async () => {
  const id = randomUUID()
  const { status, headers, type, maxAge, bytes } = await image(`/avatars/${id}.svg`)
  expect([status, type]).toEqual([200, expect.stringMatching(/^image\/svg\+xml/)])
  expect(maxAge).toBe('public, max-age=31536000, immutable')
  expect(Object.fromEntries(headers)).toMatchObject(SAFE)
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
])('avatars: one is not found at %s', async file => {
  expect((await image(`/avatars/${file}`)).status).toBe(404)
})
