import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ImportWorker, startImportWorker } from '../../src/outgoing/transfer/imports/worker.ts'
import { importServices } from '../support/import-services.ts'
import { umamiExport } from '../support/umami-export.ts'
import { expectFit } from './audit-page.ts'
import { type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { siteVisit } from './site-visit.ts'
import { askedFor, openWhole, setConfig } from './visit.ts'

const all = siteVisit()
let worker: ImportWorker
beforeAll(async () => {
  const services = await importServices(all.visit.api.services)
  worker = startImportWorker(services, { askMs: 50, prolongMs: 50 })
})
afterAll(() => worker.stop())

async function open(of?: SeededSite) {
  await all.open('settings/import', of)
  await all.page.waitForSelector('main h2')
}

const EXPORT = umamiExport({ events: 120, start: Date.UTC(2026, 0, 1) })

async function choose(name: string, buffer: Buffer) {
  const { page } = all
  await page.setInputFiles('input[type=file]', { name, mimeType: 'application/zip', buffer })
  await page.click('button[type=submit]')
}

const stored = async () => {
  const { visit, site } = all
  const [row] = await visit.api.services.db`
    select count(*)::int as count from events where site_no = ${site.siteNo}`
  return row!.count
}

test('import page: a file is uploaded, checked, imported and undone', async () => {
  const { page, member } = all
  await page.clock.install()
  await open()
  await page.waitForSelector('text=Nothing has been imported yet')
  await choose('my <b>export</b>.zip', EXPORT)
  await askedFor(page, 'li >> text=Import now')
  await page.click('li >> text=Import now')
  await askedFor(page, 'li >> button:has-text("Undo")')
  expect(await page.textContent('li:has(button)')).toContain('my <b>export</b>.zip')
  expect(await stored()).toBeGreaterThan(100)
  await page.click('li:has(button) >> summary')
  expect(await page.textContent('li:has(button) details')).toContain('crawler')

  await page.click('li >> button:has-text("Undo")')
  await page.click('role=dialog >> button[type=submit]')
  await askedFor(page, 'li >> text=Undone')
  expect(await stored()).toBe(0)
  expect(member.complaints).toEqual([])
})

test('import page: it says what is wrong with a file, and when an answer takes too long; a failed import can be canceled', {
  tags: ['full'],
}, async () => {
  const { visit, member, page } = all
  await open(await seededSite(visit, member))
  await expectFit(page)
  await choose('text.csv', Buffer.from('no export'))
  await page.waitForSelector('li >> text=no table of events found')
  await page.click('li >> button:has-text("Cancel")')
  await page.waitForSelector('li >> text=Canceled')
  setConfig(visit, { importMaxBytes: 10 })
  await choose('export.zip', EXPORT)
  await page.waitForSelector('text=The file is larger than')
  await page.route('**/trpc/imports.list*', route => route.fulfill(TOO_SLOW))
  await page.reload()
  await page.waitForSelector('[role=alert]')
})

test('import page: members who may not manage the site have neither it nor the reports', {
  tags: ['full'],
}, async () => {
  const { visit, member, site } = all
  const { page, context } = await visit.member({ teamId: member.login.teamId, role: 'member' })
  await openWhole(page, `${visit.origin}/sites/${site.domain}/settings`)
  await page.waitForSelector('main nav >> text=Sharing')
  expect(await page.textContent('main nav')).not.toMatch(/Import|Reports/)
  await openWhole(page, `${visit.origin}/sites/${site.domain}/settings/import`)
  await page.waitForSelector('main h1')
  expect(await page.locator('input[type=file]').count()).toBe(0)
  await context.close()
})
