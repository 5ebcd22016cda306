import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createTrackerScript } from '../../../src/http/assets/tracker-script.ts'
import { projectRoot } from '../../../src/platform/config/config.ts'
import { startLocalServer } from '../../support/local-server.ts'
import { ofFile } from '../../support/of-file.ts'

const script = createTrackerScript({ trackerPath: '/t' })
const built = readFileSync(join(projectRoot, 'dist', 'tracker', 'script.js'))
const server = ofFile(() =>
  startLocalServer((req, res) => {
    if (!script.handle(req, res)) res.writeHead(404).end()
  }),
)

/** Requests a path without the additional headers and the decompression of `fetch`. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const [response] = (await once(request(server.url + path, { method, headers }).end(), 'response')) as [
    IncomingMessage,
  ]
  return { status: response.statusCode!, headers: response.headers, body: await buffer(response) }
}

test('tracker script: it is at most 4.8 kB', () => {
  const bytes = gzipSync(built, { level: 9 }).length
  const advice = 'the documents promise 4.8 kB compressed: shorten src/tracker by the difference'
  expect(bytes, advice).toBeLessThanOrEqual(4_800)
})

test.each(['/js/script.js', '/t/script.js', '/js/script.js?v=2'])(
  'tracker script: %s may be loaded by any page',
  async path => {
    const answer = await ask(path)
    expect(answer.status).toBe(200)
    expect(answer.body.equals(built)).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=3600, stale-while-revalidate=86400',
      vary: 'Accept-Encoding',
      'x-request-id': expect.any(String),
    })
  },
)

test.each([
  ['/js/vitals.js', 'web-vitals 6.2.3, Copyright Google LLC, Apache-2.0'],
  ['/t/vitals.js', 'web-vitals 6.2.3, Copyright Google LLC, Apache-2.0'],
  ['/js/replay.js', '@rrweb/record 2.1.6, Copyright rrweb contributors, MIT'],
  ['/t/replay.js', '@rrweb/record 2.1.6, Copyright rrweb contributors, MIT'],
])('tracker script: %s names the licence of its library', async (path, licence) => {
  const answer = await ask(path)
  expect(answer.status).toBe(200)
  expect(answer.headers['cache-control']).toBe('public, max-age=3600, stale-while-revalidate=86400')
  expect(answer.body.toString().startsWith(`/*! Contains ${licence}`)).toBe(true)
  const text = readFileSync(join(projectRoot, 'dist', 'tracker', 'vitals.LICENSE.txt'), 'utf8')
  expect(text).toContain('Apache License')
})

test.each([
  ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
] as const)('tracker script: it is compressed if accepted: %s', async (accepted, encoding, unpack) => {
  const answer = await ask('/js/script.js', { 'Accept-Encoding': accepted })
  expect(answer.headers['content-encoding']).toBe(encoding)
  expect(unpack(answer.body).equals(built)).toBe(true)
})

test('tracker script: a client with the current version gets 304, in any encoding', async () => {
  const { headers } = await ask('/js/script.js')
  const answer = await ask('/js/script.js', {
    'If-None-Match': `"other", ${headers.etag}`,
    'Accept-Encoding': 'gzip',
  })
  expect([answer.status, answer.body.length, answer.headers.etag]).toEqual([304, 0, headers.etag])
})

test('tracker script: HEAD has no body, other methods are refused, other paths are not handled', async () => {
  const { status, body, headers } = await ask('/js/script.js', {}, 'HEAD')
  expect([status, body.length, headers['content-length']]).toEqual([200, 0, String(built.length)])
  const refused = await ask('/js/script.js', {}, 'POST')
  expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  expect(JSON.parse(refused.body.toString())).toMatchObject({ code: 'method_not_allowed' })
  const options = await ask('/js/script.js', {}, 'OPTIONS')
  expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
  for (const path of ['/js/script.jsx', '/js/', '/t', '/t/js/script.js', '/JS/script.js']) {
    expect((await ask(path)).status, path).toBe(404)
  }
})
