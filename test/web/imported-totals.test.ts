import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importTotals } from '../../src/transfer/totals/import-totals.ts'
import { fileOf } from '../transfer/read/source.ts'
import { zipOf } from '../transfer/read/zip-file.ts'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { type SeededSite, seededSite } from './seeded-site.ts'
import { type Member, startVisit, type Visit } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const QUERY = 'from=2026-03-01&to=2026-03-17'

let visit: Visit
let member: Member
let site: SeededSite

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  member = await visit.member()
  site = await seededSite(visit, member)
  await site.store([{ at: Date.parse('2026-03-11T10:00:00Z'), visitor: randomUUID(), fields: { url: '/' } }])
  const days = ['2026-03-05,40,60', '2026-03-06,30,50']
  await importTotals(
    { db: visit.api.services.db, now: () => NOW },
    { siteNo: site.siteNo, timezone: 'UTC' },
    {
      format: 'plausible-totals',
      file: fileOf(
        zipOf([
          { name: 'imported_visitors.csv', bytes: `date,visitors,visits\n${days.join('\n')}\n` },
          { name: 'imported_pages.csv', bytes: 'date,page,visitors\n2026-03-05,/old,40\n' },
        ]),
        'export.zip',
      ),
    },
  )
})
afterAll(() => visit.close())

async function open(page: Page, query: string) {
  await page.goto(`${visit.origin}/sites/${site.domain}?${query}`)
  await page.waitForSelector('figure svg')
  await page.waitForSelector('section[aria-label="Pages"] ol li')
}
const visitors = (page: Page) => page.textContent('button[aria-pressed="true"] strong')

test('imported totals: the overview has them, marks them, and leaves them out on request', async () => {
  const { page, complaints } = member
  await open(page, QUERY)
  expect(await visitors(page)).toBe('71')
  await page.waitForSelector('text=Includes imported totals from Plausible, 5 Mar 2026 to 6 Mar 2026')
  expect(await page.getAttribute('figure svg rect[data-shaded]', 'data-shaded')).toBe('4-5')
  const pages = page.locator('section[aria-label="Pages"]').first()
  expect(await pages.locator('ol li').first().textContent()).toContain('/old')
  expect(await pages.textContent()).toContain('With imported totals')
  const places = page.locator('section[aria-label="Places"]').first()
  expect(await places.textContent()).toContain('they have no such values')
  expect(await accessibilityProblems(page)).toEqual([])

  await page.click('text=Leave out')
  await expect.poll(() => visitors(page)).toBe('1')
  expect(new URL(page.url()).searchParams.get('imported')).toBe('off')
  expect(await page.locator('rect[data-shaded]').count()).toBe(0)
  await page.click('button:text("Include")')
  await expect.poll(() => visitors(page)).toBe('71')
  expect(complaints).toEqual([])
})

test('imported totals: a period without imported days says nothing; a phone does not scroll sideways', async () => {
  const { page } = member
  await open(page, 'from=2026-03-11&to=2026-03-17&compare=none')
  expect(await page.textContent('main')).not.toContain('mported totals')
  await page.setViewportSize({ width: 360, height: 800 })
  await open(page, QUERY)
  expect(await sticksOut(page)).toBe(false)
})
