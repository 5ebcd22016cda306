import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SITE_PAGES } from '../../src/web/app/site/pages-of-site.ts'
import { accessibilityProblems, focusProblems, sticksOut } from './audit-page.ts'
import { type SeededSite, seededSite } from './seeded-site.ts'
import { type Member, startVisit, type Visit } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const MINUTE = 60_000
/** A name that a visitor chose. */
const LONG = `"><script>alert(1)</script>\u202e${'w'.repeat(400)} ${'long '.repeat(60)}`

let visit: Visit
let member: Member
let site: SeededSite
let empty: SeededSite

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  member = await visit.member()
  site = await seededSite(visit, member, 'America/New_York')
  empty = await seededSite(visit, member)
  const visitor = randomUUID()
  const at = NOW.getTime() - 10 * MINUTE
  await site.store([
    {
      at,
      visitor,
      fields: { url: `/${LONG}`.slice(0, 2_000), title: LONG, referrer: 'https://news.example/item' },
    },
    {
      at: at + MINUTE,
      visitor,
      fields: { type: 'event', name: LONG.slice(0, 255), props: { plan: LONG.slice(0, 500) } },
    },
    { at: at + 2 * MINUTE, visitor, fields: { url: '/b', title: 'B' } },
  ])
  await site.call('POST', '/goals', {
    match_type: 'page',
    match_value: '/b',
    display_name: LONG.slice(0, 255),
  })
  await site.call('POST', '/payments', {
    amount: 4900,
    currency: 'USD',
    transaction_id: 'sale-1',
    visitor_id: visitor,
    name: LONG.slice(0, 255),
    customer_id: 'customer-1',
  })
})
afterAll(() => visit.close())

const pages = [...SITE_PAGES.map(({ path }) => path), 'install', 'connect-stripe', 'settings/sharing']

async function open(page: Page, path: string) {
  await page.goto(`${visit.origin}${path}`)
  await page.waitForSelector('h1, h2', { state: 'attached' })
  await page.waitForLoadState('networkidle')
}

async function expectGood(page: Page, complaints: string[]) {
  await page.setViewportSize({ width: 1280, height: 900 })
  expect(await accessibilityProblems(page)).toEqual([])
  expect(await focusProblems(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(() => sticksOut(page)).toBe(false)
  expect(complaints.splice(0)).toEqual([])
}

describe.each(pages)('page %s of a site', path => {
  test('stands hostile names, fits a phone, and has no serious fault for keyboards and screen readers', async () => {
    const { page, complaints } = member
    await open(page, `/sites/${site.domain}/${path}?range=last_30_days`)
    await expectGood(page, complaints)
  })

  test('says what to do where there is nothing yet', async () => {
    const { page, complaints } = member
    await open(page, `/sites/${empty.domain}/${path}?range=last_30_days`)
    await expectGood(page, complaints)
  })
})

describe.each(['', 'new', 'team', 'account', 'nothing/here'])('page /%s', path => {
  test('fits a phone, and has no serious fault for keyboards and screen readers', async () => {
    const { page, complaints } = member
    await open(page, `/${path}`)
    await expectGood(page, complaints)
  })
})
