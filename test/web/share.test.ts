import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLocalServer } from '../support/local-server.ts'
import { ofFile } from '../support/of-file.ts'
import { expectFit } from './audit-page.ts'
import { type SeededSite, seededSite } from './seeded-site.ts'
import { cardOn } from './shown.ts'
import { complaintsOf, fill, type Member, newPage, openWhole, startVisit, type Visit } from './visit.ts'

/** Noon, so that the day that the pages show has begun before the visits. */
const NOW = new Date(new Date().setUTCHours(12, 0, 0, 0))
const PASSWORD = 'open sesame please'

let visit: Visit
let owner: Member
let site: SeededSite
/** Server of the pages that show a share in a frame. */
const outer = ofFile(() => startLocalServer((_, response) => response.end(outerPage)))
let outerPage = ''

beforeAll(async () => {
  const frameAncestors = `http://intern.example:${outer.port}`
  visit = await startVisit({ now: () => NOW, config: { frameAncestors } })
  owner = await visit.member()
  site = await seededSite(visit, owner)
  const at = NOW.getTime() - 60_000
  const [ada, ben] = [randomUUID(), randomUUID()]
  await site.store([
    { at, visitor: ada, fields: { url: '/pricing' }, dimensions: { country: 'DE', source: 'Google' } },
    { at, visitor: ada, fields: { type: 'event', name: 'signup', url: '/pricing' } },
    { at: at + 1, visitor: ada, fields: { url: '/docs' } },
    { at: at + 2, visitor: ben, fields: { url: '/pricing' } },
    { at, visitor: ada, fields: { type: 'identify', identity: { identifier: 'ada-1', name: 'Lovelace' } } },
  ])
  await site.call('POST', '/goals', { match_type: 'event', match_value: 'signup' })
  const sale = { amount: 123_456, currency: 'USD', transaction_id: 'sale-1', customer_id: 'c-ada' }
  await site.call('POST', '/payments', { ...sale, visitor_id: ada })
})
afterAll(() => visit.close())

const makeShare = async (more: object): Promise<{ id: string; url: string; secret: string }> => {
  const share = { name: 'For the agency', sections: ['traffic', 'pages'], ...more }
  return (await site.call('POST', '/shares', share)).body
}

/** Rows of the list of pages: path, visitors. */
const pagesOn = (page: Pick<Page, '$$eval'>) => cardOn(page, 'Pages')
const PAGES = [
  ['/pricing', '2'],
  ['/docs', '1'],
]

test('share: a link with a password shows its sections alone, also after a reload, until its password changes or it is revoked', async () => {
  const share = await makeShare({ password: PASSWORD })
  const page = await newPage(visit)
  const complaints = complaintsOf(page)
  await openWhole(page, share.url)
  await fill(page, { password: 'open sesame' })
  await page.waitForSelector('text=This password is not right')
  await expectFit(page)
  await fill(page, { password: PASSWORD })
  await expect.poll(() => pagesOn(page)).toEqual(PAGES)
  const nav = await page.textContent('nav')
  expect(nav).toContain('Overview')
  expect(nav).not.toMatch(/Money|People|Settings/)
  expect(await page.textContent('header')).toContain('For the agency')
  expect(await page.$('section[aria-label="Places"]')).toBeNull()

  await page.click('role=button[name^="More"]')
  await page.click('role=menuitem[name^="Page titles"]')
  await page.waitForURL(`${visit.origin}/share/${site.id}/titles*`)
  await page.reload()
  await page.click('nav >> text=Overview')
  await expect.poll(() => pagesOn(page)).toEqual(PAGES)
  expect(complaints).toEqual([])

  await site.call('PATCH', `/shares/${share.id}`, { password: 'another password' })
  await openWhole(page, `${visit.origin}/share/${site.id}`)
  await fill(page, { password: 'another password' })
  await expect.poll(() => pagesOn(page)).toEqual(PAGES)
  expect((await site.call('DELETE', `/shares/${share.id}`)).status).toBe(204)
  await page.reload()
  await page.waitForSelector('h1:has-text("This link does not work any more")')
})

test.each(['share', 'embed'])(
  'share: a link of %s: its browser receives nothing of other sections',
  { tags: ['full'] },
  async way => {
    const { url, secret } = await makeShare({})
    const page = await newPage(visit)
    const received: Promise<string>[] = []
    page.on('response', answer => {
      // An answer to a page that was left meanwhile is gone: the page did not show it either.
      if (answer.request().resourceType() === 'fetch') received.push(answer.text().catch(() => ''))
    })
    await openWhole(page, way === 'share' ? url : `${visit.origin}/embed/${site.id}#${secret}`)
    await expect.poll(() => pagesOn(page)).toEqual(PAGES)
    for (const path of ['money', 'people', 'errors', 'events', 'goals', 'funnels', 'settings']) {
      await openWhole(page, `${visit.origin}/${way}/${site.id}/${path}`)
      await page.waitForSelector('main >> text=/not shared with you|does not exist/')
    }
    const texts = await Promise.all(received)
    expect(texts.filter(text => text.includes('/pricing')).length).toBeGreaterThan(0)
    const hidden = /Lovelace|ada-1|c-ada|Germany|"DE"|Google|signup|123456|1234\.56|sale-1/
    expect(texts.filter(text => hidden.test(text))).toEqual([])
  },
)

test('share: a link narrows everything by its filters, and one without a password is read at once', {
  tags: ['full'],
}, async () => {
  const { url } = await makeShare({ filters: { path: ['/docs'] } })
  const page = await newPage(visit)
  await openWhole(page, url)
  await expect.poll(() => pagesOn(page)).toEqual([['/docs', '1']])
  await page.waitForSelector('text=All numbers are of visits with')
  await page.waitForSelector('li:has-text("Page is") >> text="/docs"')
  await expectFit(page)
})

test('share: a site that is not public is shown to no reader; a public one to all, and to its owner as to all', {
  tags: ['full'],
}, async () => {
  const page = await newPage(visit)
  await openWhole(page, `${visit.origin}/share/${site.id}`)
  await page.waitForSelector('h1:has-text("This link does not work any more")')
  expect((await site.call('PATCH', '/sharing', { is_public: true })).status).toBe(200)
  for (const reader of [page, await owner.context.newPage()]) {
    await openWhole(reader, `${visit.origin}/share/${site.domain}`)
    await expect.poll(() => pagesOn(reader)).toEqual(PAGES)
    expect(await reader.textContent('nav')).not.toMatch(/Money|People/)
  }
  expect((await site.call('PATCH', '/sharing', { is_public: false })).status).toBe(200)
})

test('share: pages of FRAME_ANCESTORS show a share in a frame without any cookie, others do not', {
  tags: ['full'],
}, async () => {
  const { secret } = await makeShare({ may_export: true })
  const page = await newPage(visit)
  outerPage = `<!doctype html><iframe src="${visit.origin}/embed/${site.id}#${secret}" width="1000" height="800"></iframe>`
  await page.goto(`http://intern.example:${outer.port}/`)
  const embedded = () => page.frames()[1]!
  await expect.poll(() => pagesOn(embedded()).catch(() => [])).toEqual(PAGES)
  expect(await page.context().cookies()).toEqual([])

  await page.goto(`http://other.example:${outer.port}/`)
  await expect.poll(() => page.frames()[1]?.url()).toContain('chrome-error')
  // The same address without `embed` is framed by no page.
  const answer = await fetch(`${visit.api.url}/share/${site.id}`)
  expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(answer.headers.get('x-frame-options')).not.toBeNull()
})
