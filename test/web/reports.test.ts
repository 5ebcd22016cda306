import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { linkTo } from '../../src/outgoing/notifications/recipients/links.ts'
import { startMailServer } from '../support/mail-server.ts'
import { ofFile } from '../support/of-file.ts'
import { accessibilityProblems, expectFit } from './audit-page.ts'
import { TOO_SLOW } from './seeded-site.ts'
import { confirmed, fillDialog } from './signed-in-page.ts'
import { siteVisit } from './site-visit.ts'
import { complaintsOf, newPage, openWhole, setConfig } from './visit.ts'

const all = siteVisit({
  hits: [{ at: Date.now() - 86_400_000, visitor: randomUUID(), fields: { url: '/<b>bold' } }],
})
const server = ofFile(startMailServer)
beforeAll(async () => {
  const { visit, member } = all
  visit.api.services.config.mail = server.mail
  const { db } = visit.api.services
  await db`update logins set email_proven_at = now() where id = ${member.login.loginId}`
})
beforeEach(async () => {
  for (const { id } of await list()) await all.site.call('DELETE', `/reports/${id}`)
})

const open = async () => {
  await all.open('settings/reports')
  await all.page.waitForSelector('main h2')
  await all.page.waitForSelector('[role=status][aria-label^=Loading]', { state: 'detached' })
}
const list = async () => (await all.read('/reports')).recipients

test('reports: an address is added, changed, tested and removed', async () => {
  const { page, member } = all
  await open()
  await page.waitForSelector('text=No report is sent yet')
  await page.click('role=button[name="Add an address"]')
  await page.check('role=dialog >> role=checkbox[name="Daily"]')
  await page.check('role=dialog >> role=checkbox[name="Revenue and MRR"]')
  await fillDialog(page, { address: member.login.email, hour: '7' })
  await page.waitForSelector('text=Daily, Weekly')
  expect(await list()).toMatchObject([
    {
      address: member.login.email,
      frequencies: ['daily', 'weekly'],
      hour: 7,
      state: 'confirmed',
      language: 'en',
    },
  ])
  await page.click('role=button[name="Send a test"]')
  await page.waitForSelector('role=button[name="Sent"]')
  expect(server.mails.at(-1)!.recipients).toEqual([member.login.email])
  await page.click('main li >> role=button[name="Edit"]')
  await page.uncheck('role=dialog >> role=checkbox[name="Weekly"]')
  await page.click('role=dialog >> role=button[name="Save"]')
  await page.waitForSelector('main li >> text=/^Daily$/')
  await confirmed(page, 'main li >> role=button[name="Remove"]', 'text=No report is sent yet')
  expect(member.complaints).toEqual([])
})

test('reports: the preview shows the mail in a frame, and as text', { tags: ['full'] }, async () => {
  const { page, member, site } = all
  await open()
  await page.click('role=button[name="Preview"]')
  await page.click('role=dialog >> role=button[name="Daily"]')
  const frame = page.frameLocator('iframe')
  await frame.locator('h1', { hasText: site.domain }).waitFor()
  await frame.locator('text=/<b>bold').waitFor()
  await frame.locator('img[src^="data:image/png"]').waitFor()
  await page.click('role=tab[name="Text"]')
  await page.waitForSelector('pre:has-text("Unique visitors")')
  expect(member.complaints).toEqual([])
})

test('reports: it says when the service sends no mail, what failed, and when it takes too long', {
  tags: ['full'],
}, async () => {
  const { visit, site, page } = all
  setConfig(visit, { mail: undefined })
  await open()
  await page.waitForSelector('text=its operator has to set SMTP_URL')
  expect(await page.locator('role=button[name="Add an address"]').count()).toBe(0)
  setConfig(visit, { mail: server.mail })
  await page.route('**/trpc/reports.list**', route => route.fulfill(TOO_SLOW))
  await page.reload()
  await page.waitForSelector('text=This takes too long')
  await page.unroute('**/trpc/reports.list**')

  const address = `${'x'.repeat(150)}@example.com`
  await site.call('POST', '/reports', { address, frequencies: ['weekly'] })
  await visit.api.services.db`
    update report_deliveries set problem = 'refused', response = ${`451 ${'later '.repeat(30)}`}, attempts = 1`
  await open()
  await page.waitForSelector('text=the mail server did not take it')
  await expectFit(page)
})

test('reports: who has the link of a mail agrees and unsubscribes without a login, by a button', {
  tags: ['full'],
}, async () => {
  const { visit, site } = all
  const made = await site.call('POST', '/reports', { address: 'grace@example.com', frequencies: ['weekly'] })
  const { config } = visit.api.services
  const state = async () => (await list()).find(({ id }: { id: string }) => id === made.body.id).state
  const page = await newPage(visit)
  const complaints = complaintsOf(page)
  await openWhole(page, linkTo(config, 'confirm', made.body.id))
  await page.waitForSelector(`text=Do you want mails about ${site.domain}`)
  expect(await accessibilityProblems(page)).toEqual([])
  await page.click('role=button[name="Yes, send them"]')
  await page.waitForSelector('text=You get mails about')
  await openWhole(page, linkTo(config, 'unsubscribe', made.body.id))
  await page.waitForSelector('role=button[name="Unsubscribe"]')
  expect(await state()).toBe('confirmed')
  await page.click('role=button[name="Unsubscribe"]')
  await page.waitForSelector('text=grace@example.com gets no mails about')
  expect(await state()).toBe('unsubscribed')
  expect(complaints).toEqual([])
  await openWhole(page, `${visit.origin}/mail/unsubscribe/made.up`)
  await page.waitForSelector('text=The link does not work')
})
