import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PAGE_PATHS } from '../../../src/http/web/page-paths.ts'
import { webFolder } from '../../../src/http/web/web-files.ts'
import { startApi } from '../../support/api.ts'
import { ofFile } from '../../support/of-file.ts'

const api = ofFile(startApi)
const below = ofFile(() => startApi({ config: { baseUrl: 'https://example.com/tools/analytics' } }))

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', Cookie: 'analytics_session=x' }

const get = (path: string, headers: Record<string, string> = BROWSER, from = api) =>
  fetch(from.url + path, { redirect: 'manual', headers })

/** An address of the page in the syntax of Express. */
const exampleOf = (pattern: string) =>
  pattern.replace('{/*rest}', '/a/b').replace('{/:part}', '/part').replace(':site', 'a.example')

const filesIn = (html: string) =>
  [...html.matchAll(/ (?:src|href)="(web\/[^"]+)"/g)].map(([, address]) => address!)

test.each(PAGE_PATHS.map(exampleOf))(
  'web pages: %s allows nothing but its own files, and is not framed',
  async path => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = answer.headers.get('content-security-policy')!
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/)
    expect(policy).toContain("base-uri 'self'; form-action 'none'")
    expect(policy).not.toMatch(/unsafe|http|\*/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    const html = await answer.text()
    expect(html).toContain('<base href="/">')
    expect(html).not.toMatch(/<style|style="|<script(?! (type="module" )?src="web\/)/)
    const again = await get(path, { ...BROWSER, 'If-None-Match': answer.headers.get('etag')! })
    expect(again.status).toBe(304)
    expect((await fetch(api.url + path, { method: 'POST' })).status).toBe(405)
  },
)

test('web pages: a frame of another site may hold a shared page alone', async () => {
  const answer = await get('/embed/a.example/money')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-security-policy')).toMatch(/frame-ancestors /)
  expect(answer.headers.get('x-frame-options')).toBeNull()
  expect((await get('/login')).headers.get('x-frame-options')).not.toBeNull()
})

test('web pages: the frame that plays recordings may load its script alone, a nonce an answer, and stands in own pages', async () => {
  const answers = await Promise.all([1, 2].map(() => get('/web/replay-frame')))
  const nonces = await Promise.all(
    answers.map(async answer => {
      const policy = answer.headers.get('content-security-policy')!
      const [, nonce] = /script-src 'nonce-([\w-]{22})'/.exec(policy)!
      expect(policy.replace(nonce!, '')).toBe(
        "default-src 'none'; script-src 'nonce-'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-src 'none'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts allow-same-origin",
      )
      expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN')
      const [, script] = new RegExp(`<script nonce="${nonce}" src="([^"]+)"></script>`).exec(
        await answer.text(),
      )!
      expect((await get(`/web/${script}`)).status).toBe(200)
      return nonce
    }),
  )
  expect(new Set(nonces).size).toBe(2)
})

test('web pages: their files have a hash in the name, are kept for ever, and come compressed', async () => {
  const files = filesIn(await (await get('/login')).text())
  expect(files.length).toBeGreaterThanOrEqual(3)
  for (const file of files) {
    const plain = readFileSync(join(webFolder, file.slice('web/'.length)))
    for (const encoding of ['br', 'gzip', 'identity']) {
      const answer = await get(`/${file}`, { 'Accept-Encoding': encoding })
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
      expect(answer.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/)
      expect(Buffer.from(await answer.arrayBuffer()).equals(plain)).toBe(true)
    }
  }
  const names = [
    'none-AAAAAAAA.js',
    'manifest.json',
    '..%2fpackage.json',
    '%00',
    `${'a'.repeat(5_000)}-ABCDEFGH.js`,
    'main.js',
    `${files[0]!.slice(4)}.br`,
  ]
  for (const name of names) expect((await get(`/web/${name}`)).status, name).toBe(404)
})

test('web pages: an address without a page is a page for browsers, and JSON for programs', async () => {
  for (const path of ['/unknown', '/account/a/b', '/team/a/b', '/sites']) {
    const page = await get(path)
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    for (const accept of ['*/*', 'application/json']) {
      const answer = await get(path, { Accept: accept })
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'not_found'])
    }
  }
  for (const path of ['/api/unknown', '/trpc/unknown']) {
    expect((await get(path)).headers.get('content-type')).toMatch(/^application\/json/)
  }
})

test('web pages: the first page leads to the one for signing in without a cookie; a slash at the end is led away', async () => {
  const home = await get('/', { Accept: 'text/html' })
  expect([home.status, home.headers.get('location')]).toEqual([302, 'login'])
  for (const path of [
    ...['/login', '/sites/a.example', '/sites/a.example/money', '/embed/a.example', '/team'],
    '/account/devices',
  ]) {
    const answer = await get(`${path}/?range=all`)
    expect(answer.status).toBe(308)
    expect(new URL(answer.headers.get('location')!, `${api.url}${path}/`).href).toBe(
      `${api.url}${path}?range=all`,
    )
  }
  for (const path of [
    '//evil.example',
    '/login//evil.example',
    '/sites//evil.example',
    '/sites/x/%5c%5cevil.example',
  ]) {
    const to = (await get(`${path}/`)).headers.get('location')
    if (to !== null) expect(new URL(to, `${api.url}${path}/`).origin, path).toBe(new URL(api.url).origin)
  }
})

test('web pages: below a path of a proxy, everything is relative to that path', async () => {
  const html = await (await get('/sites/a.example/money', BROWSER, below)).text()
  expect(html).toContain('<base href="/tools/analytics/">')
  for (const file of filesIn(html)) expect((await get(`/${file}`, {}, below)).status).toBe(200)
  const home = await get('/', { Accept: 'text/html' }, below)
  expect(home.headers.get('location')).toBe('login')
})
