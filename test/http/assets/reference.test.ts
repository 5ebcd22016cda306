import { expect, onTestFinished, test } from 'vitest'
import { describeApi } from '../../../src/http/openapi/document.ts'
import { startApi } from '../../support/api.ts'
import { operationsOf } from '../../support/documented.ts'
import { ofFile } from '../../support/of-file.ts'
import { newPerson, startShell } from '../../tracker/chromium.ts'

const api = ofFile(startApi)

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(api.url + path, { headers, redirect: 'manual' })

test('API reference: the OpenAPI document is served without a token', async () => {
  const answer = await get('/api/openapi.json')
  const type = answer.headers.get('content-type')
  expect([answer.status, type]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await answer.json()).toEqual(describeApi(api.services.config.baseUrl))
})

test.each(['/api/openapi.json', '/docs', '/docs/redoc.js'])(
  'API reference: %s is cached until it changes, and compressed on request',
  async path => {
    const plain = await get(path, { 'Accept-Encoding': 'identity' })
    const text = await plain.text()
    expect(plain.headers.get('cache-control')).toBe('no-cache')
    expect(plain.headers.get('content-encoding')).toBeNull()
    for (const encoding of ['gzip', 'br']) {
      const packed = await get(path, { 'Accept-Encoding': encoding })
      expect(packed.headers.get('content-encoding')).toBe(encoding)
      expect(Number(packed.headers.get('content-length'))).toBeLessThan(text.length)
      // fetch decompresses it.
      expect(await packed.text()).toBe(text)
    }
    const again = await get(path, { 'If-None-Match': plain.headers.get('etag')! })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await get(path, { 'If-None-Match': 'W/"another"' })).status).toBe(200)
  },
)

test('API reference: the page has only one URL, and allows only our own script', async () => {
  const answer = await get('/docs/')
  expect([answer.status, answer.headers.get('location')]).toEqual([308, '../docs'])
  const policy = (await get('/docs')).headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/)
})

test('the API reference shows every operation, loads nothing from other origins and reports no errors', {
  tags: ['full'],
}, async () => {
  const browser = await startShell()
  onTestFinished(() => browser.close())
  const page = await (await newPerson(browser)).newPage()
  const complaints: string[] = []
  const foreign: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('request', request => {
    if (!request.url().startsWith(`${api.url}/`) && !/^(data|blob):/.test(request.url())) {
      foreign.push(request.url())
    }
  })
  await page.goto(`${api.url}/docs`)
  await page.getByRole('heading', { name: 'Record a pageview' }).waitFor()
  const shown = await page.locator('h2').allTextContents()
  const texts = shown.map(text => text.trim())
  for (const { summary } of operationsOf(describeApi(api.services.config.baseUrl)).values())
    expect(texts).toContain(summary)

  // The search runs in a worker.
  await page.getByPlaceholder('Search...').fill('time zone')
  await page
    .getByRole('menuitem', { name: /Change the time zone/ })
    .first()
    .waitFor()
  expect(foreign).toEqual([])
  expect(complaints).toEqual([])
})
