import { randomBytes, randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { isPublicAddress } from '../../../src/platform/net/public-addresses.ts'
import { problemOf, type Reach } from '../../../src/platform/net/public-fetch.ts'
import { startApi } from '../../support/api.ts'
import { startLocalServer } from '../../support/local-server.ts'
import { ofFile } from '../../support/of-file.ts'

/** What the page answers; `url` is without the host. */
let answer: RequestListener
let requests: string[] = []
/** Addresses of host names that are not the local host. */
const addresses = new Map<string, string[]>()
const reach: Reach = {
  resolve: async host => addresses.get(host) ?? ['127.0.0.1'],
  isAllowed: address => address === '127.0.0.1' || isPublicAddress(address),
  timeoutMs: 30_000,
  maxBytes: 2_000,
}

let clock = Date.parse('2026-03-10T12:00:00Z')

const server = ofFile(() =>
  startLocalServer((request, response) => {
    requests.push(`${request.headers.host} ${request.url}`)
    answer(request, response)
  }),
)
const api = ofFile(() => startApi({ reach, now: () => new Date(clock) }))
const owner = ofFile(() => api.member())
beforeEach(() => {
  requests = []
  clock += 60_000
})

async function newSite(domain = `${randomUUID()}.example:${server.port}`) {
  const site = await api.site(owner, { domain })
  const check = (token = owner.token) => api.call('POST', `${site.path}/check-installation`, { token })
  return { ...site, check }
}

const page = (html: string, type = 'text/html; charset=utf-8'): RequestListener => {
  return (_request, response) => response.writeHead(200, { 'Content-Type': type }).end(html)
}

/** Checks a new site whose page has this HTML. */
async function checkPage(html: (key: string) => string) {
  const site = await newSite()
  answer = page(html(site.key))
  const { status, body } = await site.check()
  expect(status, JSON.stringify(body)).toBe(200)
  return { ...body, site }
}

const OTHER = '11111111-2222-4333-8444-555555555555'
const tag = (attributes: string) => `<script ${attributes}></script>`

test.each<[string, (key: string) => string]>([
  [
    'in the head',
    key => `<head>${tag(`defer src="https://a.example/js/script.js" data-key="${key}"`)}</head>`,
  ],
  ['in the body', key => `<body><p>Hello</p><script data-key='${key}' src=/t/script.js></script></body>`],
  ['in its address', key => tag(`async src="https://a.example/js/script.js?v=2&amp;key=${key}"`)],
  ['in upper case', key => `<SCRIPT DATA-KEY=${key.toUpperCase()} SRC="/x.js"></SCRIPT>`],
  ['with spaces', key => `<script async\n  data-key = " ${key} "\n src="/js/script.js" ></script>`],
  ['beside another', key => `${tag(`data-key="${OTHER}" src="/js/script.js"`)}<script data-key="${key}">`],
])('installation: a tag with the key is found %s', async (_, html) => {
  const { site, ...body } = await checkPage(html)
  expect(body).toEqual({ status: 'found', url: `http://${site.domain}/`, reason: null, detail: null })
  expect(requests).toEqual([`${site.domain} /`])
})

test.each<[string, (key: string) => string]>([
  ['no tag', () => '<html><p>Hello</p></html>'],
  ['an empty page', () => ''],
  ['the tag in a comment', key => `<!-- <script src="/js/script.js" data-key="${key}"></script> -->`],
  ['a part of the key', key => `<script src="/js/script.jsx" data-key="${key.slice(1)}"></script>`],
  ['another script with a data-key', () => `<script src="/chat.js" data-key="${OTHER}"></script>`],
  ['another service', () => tag('defer data-domain="x" src="https://plausible.io/js/script.js"')],
])('installation: %s is missing', async (_, html) => {
  const { site, ...body } = await checkPage(html)
  expect(body).toEqual({ status: 'missing', url: `http://${site.domain}/`, reason: null, detail: null })
})

test('installation: the key in a script is found; a tag of the service without one and a tag manager are told', async () => {
  const own = `<script src="${api.services.config.baseUrl}/js/script.js"></script>`
  const manager = '<script>f("https://www.googletagmanager.com/gtm.js?id=GTM-1")</script>'
  const script = (key: string) => `<script>load("/js/script.js", { key: "${key.toUpperCase()}" })</script>`
  for (const [html, status, reason, text] of [
    [script, 'found', 'outside_tag', 'in no script tag'],
    [() => own, 'missing', 'no_key', 'no data-key'],
    [() => manager, 'missing', 'tag_manager', 'Google Tag Manager'],
  ] as const)
    expect(await checkPage(html)).toMatchObject({ status, reason, detail: expect.stringContaining(text) })
})

test('installation: a tag with another key is told', async () => {
  const withKey = (key: string) => () => tag(`src="https://a.example/js/script.js" data-key="${key}"`)
  const { site, ...body } = await checkPage(withKey(OTHER))
  expect(body).toMatchObject({ status: 'other_key', reason: null })
  expect(body.detail).toBe(`The tag has the key ${OTHER}; this site has ${site.key}.`)
  const { status, detail } = await checkPage(withKey('TRACKING_KEY<b>'))
  expect([status, detail]).toEqual(['other_key', expect.stringContaining('a key that is none')])
})

test('installation: only the beginning of a long page is looked at', async () => {
  const space = ' '.repeat(2_000)
  const ofKey = (key: string) => tag(`data-key="${key}"`)
  expect(await checkPage(key => ofKey(key) + space)).toMatchObject({ status: 'found' })
  expect(await checkPage(key => space + ofKey(key))).toMatchObject({
    ...{ status: 'missing', reason: 'page_cut', detail: expect.stringContaining('first MiB') },
  })
})

test('installation: an endless page is read to the limit', async () => {
  const site = await newSite()
  answer = async (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' })
    while (!response.destroyed) {
      response.write('<p>more</p>'.repeat(50))
      await sleep(1)
    }
  }
  expect((await site.check()).body).toMatchObject({ status: 'missing', reason: 'page_cut' })
})

test.each<[string, (text: string) => Buffer]>([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
])('installation: a page that is always sent as %s is read', async (encoding, pack) => {
  const site = await newSite()
  const found = tag(`data-key="${site.key}"`)
  for (const [body, status, reason] of [
    [pack(found), 'found', null],
    [pack(`${found}${randomBytes(4_000).toString('hex')}`), 'found', null],
    [pack(`${' '.repeat(2_000)}${found}`), 'missing', 'page_cut'],
    [pack(' '.repeat(1_000_000)), 'unreachable', 'not_html'],
    [Buffer.from('no such thing'), 'unreachable', 'not_html'],
  ] as const) {
    answer = (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': encoding }).end(body)
    expect((await site.check()).body).toMatchObject({ status, reason })
  }
})

/** Redirects `/` to `/1`, and so on, to the page. */
const redirecting = (times: number, html: string): RequestListener => {
  return (request, response) => {
    const at = Number(request.url!.slice(1) || '0')
    if (at === times) page(html)(request, response)
    else response.writeHead([301, 302, 303, 307, 308][at]!, { Location: `/${at + 1}` }).end()
  }
}

test('installation: three redirects are followed, and no fourth', async () => {
  const site = await newSite()
  const found = tag(`data-key="${site.key}"`)
  answer = redirecting(3, found)
  expect((await site.check()).body).toMatchObject({ status: 'found', url: `http://${site.domain}/3` })
  answer = redirecting(4, found)
  const { body } = await site.check()
  expect(body).toMatchObject({ status: 'unreachable', reason: 'too_many_redirects' })
  expect(body.detail).toContain('more than three times')
})

test('installation: the page of another host counts, without what names a person in its address', async () => {
  const site = await newSite()
  answer = (request, response) => {
    if (request.url === '/') {
      response
        .writeHead(302, { Location: `//user:secret@www.other.example:${server.port}/start?a=b#part` })
        .end()
    } else page(`<script data-key="${site.key}">`)(request, response)
  }
  const { body } = await site.check()
  expect(body).toMatchObject({ status: 'found', url: `http://www.other.example:${server.port}/start?a=b` })
})

test.each<[string, string, string]>([
  ['a private address', '//10.0.0.1/', 'not_public'],
  ['a link-local address', 'http://169.254.169.254/latest/meta-data', 'not_public'],
  ['a name with a private address', '//inside.example/', 'not_public'],
  ['a name with a public and a private address', '//both.example/', 'not_public'],
  ['an unknown name', '//nowhere.example/', 'unknown_host'],
  ['a port of another service', '//www.example:25/', 'bad_redirect'],
  ['a file', 'file:///etc/passwd', 'bad_redirect'],
  ['what is no address', 'http://[', 'bad_redirect'],
])('installation: a redirect to %s is not followed', async (_, location, reason) => {
  addresses.set('inside.example', ['192.168.0.1'])
  addresses.set('both.example', ['127.0.0.1', '::1'])
  addresses.set('nowhere.example', [])
  const site = await newSite()
  answer = (_request, response) => response.writeHead(302, { Location: location }).end()
  const { body } = await site.check()
  expect(body).toMatchObject({ status: 'unreachable', reason, detail: expect.stringMatching(/\.$/) })
  expect(requests).toEqual([`${site.domain} /`])
})

test('installation: a domain without a public address or with the port of another service is unreachable', async () => {
  for (const [reason, found, port, detail] of [
    ['unknown_host', [], '', 'No name server knows'],
    ['not_public', ['10.0.0.1'], '', 'not public'],
    ['bad_port', ['127.0.0.1'], ':22', 'port'],
  ] as const) {
    const host = `${randomUUID()}.example`
    addresses.set(host, [...found])
    const { body } = await (await newSite(host + port)).check()
    const wanted = { url: `https://${host}${port}/`, reason, detail: expect.stringContaining(detail) }
    expect(body).toMatchObject({ status: 'unreachable', ...wanted })
  }
})

const bare = (status: number, text?: string): RequestListener => {
  return (_request, response) => response.writeHead(status).end(text)
}

test.each<[string, RequestListener, string, string]>([
  ['the status 403', bare(403, 'no'), 'bad_status', 'answered with status 403'],
  ['the status 500', bare(500), 'bad_status', 'status 500'],
  ['a redirect to nowhere', bare(302), 'bad_status', 'status 302'],
  ['a picture', page('x', 'image/png'), 'not_html', 'not a web page'],
  ['a broken connection', request => request.socket.destroy(), 'connection_failed', 'connection to'],
])('installation: a server that answers %s is unreachable', async (_, listener, reason, detail) => {
  const site = await newSite()
  answer = listener
  const { body } = await site.check()
  expect(body).toMatchObject({ status: 'unreachable', reason })
  expect(body.detail).toContain(detail)
})

test('installation: a server that does not answer in time is unreachable', async () => {
  const hasty = await startApi({ reach: { ...reach, timeoutMs: 400 } })
  const { token } = await hasty.member()
  const domain = `${randomUUID()}.example:${server.port}`
  const { body: site } = await hasty.call('POST', '/api/sites', { token, body: { domain } })
  answer = () => {}
  const { body } = await hasty.call('POST', `/api/sites/${site.id}/check-installation`, { token })
  await hasty.close()
  expect(body).toMatchObject({ status: 'unreachable' })
  expect(['timed_out', 'connection_failed']).toContain(body.reason)
})

test('installation: what is wrong with a certificate is told from other faults', () => {
  const bad = ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']
  const problems = [...bad, 'ECONNREFUSED'].map(code => problemOf(Object.assign(new Error(), { code })))
  expect(problems).toEqual([...Array(3).fill('bad_certificate'), 'connection_failed'])
})

test('installation: ten checks a minute of a site, whoever asks', async () => {
  const [site, other] = [await newSite(), await newSite()]
  const second = await api.token(owner, {})
  answer = page('')
  const statuses: number[] = []
  for (let index = 0; index < 12; index++)
    statuses.push((await site.check(index % 2 ? second : owner.token)).status)
  expect(statuses).toEqual([...Array(10).fill(200), 429, 429])
  const refused = await site.check()
  expect(refused.body.message).toContain(
    'More than 10 requests a minute to check the installation of this site',
  )
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(requests.length).toBe(10)
  expect((await other.check()).status).toBe(200)
  clock += 60_000
  expect((await site.check()).status).toBe(200)
})
