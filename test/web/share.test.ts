import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import type { Member } from '../support/api.ts'
import { enrichedHit } from '../support/hits.ts'
import { fill, startVisit, type Visit } from './visit.ts'

let visit: Visit
let owner: Member
let site: { id: string; domain: string }

const call = (method: string, path: string, body?: unknown) =>
  visit.api.call(method, `/api/sites/${site.id}${path}`, {
    token: owner.token,
    ...(body !== undefined && { body }),
  })

/** Noon, so that the day that the pages show has begun before the visits. */
const NOW = new Date(new Date().setUTCHours(12, 0, 0, 0))

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  const { api } = visit
  owner = await api.member()
  const domain = `${randomUUID()}.example`
  site = (await api.call('POST', '/api/sites', { token: owner.token, body: { domain } })).body
  const [row] = await api.services.db<{ siteNo: number }[]>`
    select site_no as "siteNo" from sites where id = ${site.id}`
  const stored = { id: site.id, siteNo: row!.siteNo, key: '' }
  const at = NOW.getTime() - 60_000
  const [ada, ben] = [randomUUID(), randomUUID()]
  await storeHits(api.services.db, 0, [
    enrichedHit(stored, at, { visitorId: ada, url: '/pricing' }),
    enrichedHit(stored, at + 1, { visitorId: ada, url: '/docs' }),
    enrichedHit(stored, at + 2, { visitorId: ben, url: '/pricing' }),
  ])
})
afterAll(() => visit.close())

test('a share link with a password shows the numbers of its sections, until it is revoked', async () => {
  const share = { name: 'For the agency', sections: ['traffic', 'pages'], password: 'open sesame please' }
  const { body } = await call('POST', '/shares', share)
  const page = await (await visit.person()).newPage()
  await page.goto(body.url)
  await fill(page, { password: 'open sesame' })
  await page.waitForSelector('.error:not([hidden])')
  await fill(page, { password: share.password })
  await page.waitForSelector('.totals')
  expect(await page.textContent('h1')).toBe(site.domain)
  expect(await page.textContent('main')).toContain('For the agency')
  expect(await page.locator('.totals dd').allTextContents()).toEqual(expect.arrayContaining(['2', '3']))
  expect(await page.locator('h2').allTextContents()).toEqual(['Pages', 'Entry pages'])
  expect(await page.locator('section >> nth=1').locator('li').allTextContents()).toEqual([
    '/pricing2',
    '/docs1',
  ])
  await page.selectOption('select', 'all')
  await page.waitForSelector('div[aria-live]:not([aria-busy])')
  expect(await page.locator('.totals dd').first().textContent()).toBe('2')

  expect((await call('DELETE', `/shares/${body.id}`)).status).toBe(204)
  await page.reload()
  await page.waitForSelector('text=does not work any more')
})

test('a public site is shown to everybody, and a site that is not public to nobody', async () => {
  const page = await (await visit.person()).newPage()
  await page.goto(`${visit.origin}/share/${site.id}`)
  await page.waitForSelector('text=does not work any more, or the site is not public')
  expect((await call('PATCH', '/sharing', { is_public: true })).status).toBe(200)
  await page.reload()
  await page.waitForSelector('.totals')
  expect(await page.textContent('main')).toContain('Public site')
  expect(await page.textContent('main')).not.toContain('Revenue')
})
