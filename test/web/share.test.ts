import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { type SeededSite, seededSite } from './seeded-site.ts'
import { complaintsOf, fill, type Member, startVisit, type Visit } from './visit.ts'

/** Noon, so that the day that the pages show has begun before the visits. */
const NOW = new Date(new Date().setUTCHours(12, 0, 0, 0))
const PASSWORD = 'open sesame please'

let visit: Visit
let owner: Member
let site: SeededSite
/** Server of the pages that show a share in a frame. */
let outer: Server
let outerPort: number

beforeAll(async () => {
  outer = createServer((_, response) => response.end(outerPage))
  outerPort = await new Promise(resolve =>
    outer.listen(0, '127.0.0.1', () => resolve((outer.address() as AddressInfo).port)),
  )
  const frameAncestors = `http://intern.example:${outerPort}`
  visit = await startVisit({ now: () => NOW, config: { frameAncestors } })
  owner = await visit.member()
  site = await seededSite(visit, owner)
  const at = NOW.getTime() - 60_000
  const [ada, ben] = [randomUUID(), randomUUID()]
  await site.store([
    { at, visitor: ada, fields: { url: '/pricing' } },
    { at: at + 1, visitor: ada, fields: { url: '/docs' } },
    { at: at + 2, visitor: ben, fields: { url: '/pricing' } },
  ])
})
afterAll(() => Promise.all([visit.close(), new Promise(resolve => outer.close(resolve))]))

let outerPage = ''

const makeShare = async (share: object): Promise<{ id: string; url: string; secret: string }> =>
  (await site.call('POST', '/shares', { name: 'For the agency', sections: ['traffic', 'pages'], ...share }))
    .body

const newPage = async () => (await visit.person()).newPage()

/** Rows of the list of pages: path, visitors. */
const pagesOn = (page: Pick<Page, '$$eval'>) =>
  page.$$eval('section[aria-label="Pages"] ol li', items =>
    items.map(item => [
      item.querySelector('bdi')!.textContent,
      item.querySelector('span[title]')!.textContent,
    ]),
  )
const PAGES = [
  ['/pricing', '2'],
  ['/docs', '1'],
]

describe('share', () => {
  test('a link with a password shows its sections alone, also after a reload, until it is revoked', async () => {
    const share = await makeShare({ password: PASSWORD })
    const page = await newPage()
    const complaints = complaintsOf(page)
    await page.goto(share.url)
    await fill(page, { password: 'open sesame' })
    await page.waitForSelector('text=This password is not right')
    expect(await accessibilityProblems(page)).toEqual([])
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
    await page.waitForSelector('nav')
    await page.goto(`${visit.origin}/share/${site.id}?range=all`)
    await expect.poll(() => pagesOn(page)).toEqual(PAGES)
    await page.goto(`${visit.origin}/share/${site.id}/settings`)
    await page.waitForSelector('text=This page does not exist')
    expect(complaints).toEqual([])

    expect((await site.call('DELETE', `/shares/${share.id}`)).status).toBe(204)
    await page.reload()
    await page.waitForSelector('h1:has-text("This link does not work any more")')
  })

  test('a link narrows everything by its filters, and one without a password is read at once', async () => {
    const { url } = await makeShare({ filters: { path: ['/docs'] } })
    const page = await newPage()
    await page.goto(url)
    await expect.poll(() => pagesOn(page)).toEqual([['/docs', '1']])
    await page.waitForSelector('text=All numbers are of visits with')
    await page.waitForSelector('li:has-text("Page is") >> text="/docs"')
    await page.setViewportSize({ width: 360, height: 740 })
    await expect.poll(() => sticksOut(page)).toBe(false)
  })

  test('access that has ended asks for the password again', async () => {
    const { id, url } = await makeShare({ password: PASSWORD })
    const page = await newPage()
    await page.goto(url)
    await fill(page, { password: PASSWORD })
    await expect.poll(() => pagesOn(page)).toEqual(PAGES)
    await site.call('PATCH', `/shares/${id}`, { password: 'another password' })
    await page.goto(`${visit.origin}/share/${site.id}`)
    await fill(page, { password: 'another password' })
    await expect.poll(() => pagesOn(page)).toEqual(PAGES)
  })

  test('a site that is not public is shown to no reader; a public one to all, and to its owner as to all', async () => {
    const page = await newPage()
    await page.goto(`${visit.origin}/share/${site.id}`)
    await page.waitForSelector('h1:has-text("This link does not work any more")')
    expect((await site.call('PATCH', '/sharing', { is_public: true })).status).toBe(200)
    for (const reader of [page, await owner.context.newPage()]) {
      await reader.goto(`${visit.origin}/share/${site.domain}`)
      await expect.poll(() => pagesOn(reader)).toEqual(PAGES)
      expect(await reader.textContent('nav')).not.toMatch(/Money|People/)
    }
    expect((await site.call('PATCH', '/sharing', { is_public: false })).status).toBe(200)
  })
})

describe('frames', () => {
  test('pages of FRAME_ANCESTORS show a share in a frame without any cookie, others do not', async () => {
    const { secret } = await makeShare({ may_export: true })
    const page = await newPage()
    outerPage = `<!doctype html><iframe src="${visit.origin}/embed/${site.id}#${secret}" width="1000" height="800"></iframe>`
    await page.goto(`http://intern.example:${outerPort}/`)
    const embedded = () => page.frames()[1]!
    await expect.poll(() => pagesOn(embedded()).catch(() => [])).toEqual(PAGES)
    expect(await page.context().cookies()).toEqual([])

    await page.goto(`http://other.example:${outerPort}/`)
    await expect.poll(() => page.frames()[1]?.url()).toContain('chrome-error')
    // The same address without `embed` is framed by no page.
    const answer = await fetch(`${visit.api.url}/share/${site.id}`)
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(answer.headers.get('x-frame-options')).not.toBeNull()
  })
})
