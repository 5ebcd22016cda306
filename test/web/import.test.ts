import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ImportWorker, startImportWorker } from '../../src/transfer/imports/worker.ts'
import { importServices } from '../support/import-services.ts'
import { umamiExport } from '../support/umami-export.ts'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { type Member, startVisit, type Visit } from './visit.ts'

let visit: Visit
let member: Member
let site: SeededSite
let worker: ImportWorker

beforeAll(async () => {
  visit = await startVisit()
  member = await visit.member()
  site = await seededSite(visit, member)
  worker = startImportWorker(await importServices(visit.api.services), { askMs: 50, prolongMs: 50 })
})
afterAll(async () => {
  await worker.stop()
  await visit.close()
})

async function open(page: Page, of = site) {
  await page.goto(`${visit.origin}/sites/${of.domain}/settings/import`)
  await page.waitForSelector('main h2')
}

const EXPORT = umamiExport({ events: 120, start: Date.UTC(2026, 0, 1) })

async function choose(page: Page, name: string, buffer: Buffer) {
  await page.setInputFiles('input[type=file]', { name, mimeType: 'application/zip', buffer })
  await page.click('button[type=submit]')
}

const stored = async () => {
  const [row] = await visit.api.services.db`
    select count(*)::int as count from events where site_no = ${site.siteNo}`
  return row!.count
}

test('import page: a file is uploaded, checked, imported and undone', async () => {
  const { page, complaints } = member
  await open(page)
  await page.waitForSelector('text=Nothing has been imported yet')
  await choose(page, 'my <b>export</b>.zip', EXPORT)
  await page.click('li >> text=Import now')
  await page.waitForSelector('li >> button:has-text("Undo")')
  expect(await page.textContent('li:has(button)')).toContain('my <b>export</b>.zip')
  expect(await stored()).toBeGreaterThan(100)
  await page.click('li:has(button) >> summary')
  expect(await page.textContent('li:has(button) details')).toContain('crawler')

  await page.click('li >> button:has-text("Undo")')
  await page.click('role=dialog >> button[type=submit]')
  await page.waitForSelector('li >> text=Undone')
  expect(await stored()).toBe(0)
  expect(complaints).toEqual([])
})

test('import page: it says what is wrong with a file, and a failed import can be canceled', async () => {
  const { page } = member
  await open(page)
  await choose(page, 'text.csv', Buffer.from('no export'))
  await page.waitForSelector('li >> text=no table of events found')
  await page.click('li >> button:has-text("Cancel")')
  await page.waitForSelector('li >> text=Canceled')
  visit.api.services.config.importMaxBytes = 10
  await choose(page, 'export.zip', EXPORT)
  await page.waitForSelector('text=The file is larger than')
  visit.api.services.config.importMaxBytes = 1024 ** 3
})

test('import page: an answer that takes too long is said, and the page works on a phone in both themes', async () => {
  for (const theme of ['light', 'dark'] as const) {
    const { page } = await visit.member({
      teamId: member.login.teamId,
      role: 'admin',
      theme,
      width: 360,
      locale: 'de',
    })
    await open(page)
    await page.waitForSelector('li >> text=Rückgängig gemacht')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await sticksOut(page)).toBe(false)
    await page.route('**/trpc/imports.list*', route => route.fulfill(TOO_SLOW))
    await page.reload()
    await page.waitForSelector('[role=alert]')
    await page.context().close()
  }
})

test('import page: members who may not manage the site do not have it', async () => {
  const { page, context } = await visit.member({ teamId: member.login.teamId, role: 'member' })
  await page.goto(`${visit.origin}/sites/${site.domain}/settings`)
  await page.waitForSelector('main nav')
  expect(await page.locator('main nav >> text=Import').count()).toBe(0)
  await page.goto(`${visit.origin}/sites/${site.domain}/settings/import`)
  await page.waitForSelector('main h1')
  expect(await page.locator('input[type=file]').count()).toBe(0)
  await context.close()
})
