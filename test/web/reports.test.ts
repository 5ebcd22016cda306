import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkTo } from '../../src/notifications/recipients/links.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { complaintsOf, type Member, startVisit, type Visit } from './visit.ts'

let visit: Visit
let member: Member
let site: SeededSite
let server: MailServer
beforeAll(async () => {
  ;[visit, server] = await Promise.all([startVisit(), startMailServer()])
  visit.api.services.config.mail = server.mail
  member = await visit.member()
  site = await seededSite(visit, member)
  await site.store([{ at: Date.now() - 86_400_000, visitor: randomUUID(), fields: { url: '/<b>bold' } }])
  const { db } = visit.api.services
  await db`update logins set email_proven_at = now() where id = ${member.login.loginId}`
})
afterAll(() => Promise.all([visit.close(), server.close()]))

const open = async (page: Page) => {
  await page.goto(`${visit.origin}/sites/${site.domain}/settings/reports`)
  await page.waitForSelector('main h2')
  await page.waitForSelector('[role=status][aria-label^=Loading]', { state: 'detached' })
}
const list = async () => (await site.call('GET', '/reports')).body.recipients

test('reports: an address is added, changed, tested and removed', async () => {
  const { page, complaints, login } = member
  await open(page)
  await page.waitForSelector('text=No report is sent yet')
  await page.click('role=button[name="Add an address"]')
  await page.fill('role=dialog >> input[name=address]', login.email)
  await page.check('role=dialog >> role=checkbox[name="Daily"]')
  await page.check('role=dialog >> role=checkbox[name="Revenue and MRR"]')
  await page.selectOption('role=dialog >> select[name=hour]', '7')
  await page.click('role=dialog >> role=button[name="Add"]')
  await page.waitForSelector('text=Daily, Weekly')
  expect(await list()).toMatchObject([
    { address: login.email, frequencies: ['daily', 'weekly'], hour: 7, state: 'confirmed', language: 'en' },
  ])
  await page.click('role=button[name="Send a test"]')
  await page.waitForSelector('role=button[name="Sent"]')
  expect(server.mails.at(-1)!.recipients).toEqual([login.email])
  await page.click('main li >> role=button[name="Edit"]')
  await page.uncheck('role=dialog >> role=checkbox[name="Weekly"]')
  await page.click('role=dialog >> role=button[name="Save"]')
  await page.waitForSelector('main li >> text=/^Daily$/')
  await page.click('main li >> role=button[name="Remove"]')
  await page.click('role=dialog >> button[type=submit]')
  await page.waitForSelector('text=No report is sent yet')
  expect(complaints).toEqual([])
})

test('reports: the preview shows the mail in a frame, and as text', async () => {
  const { page, complaints } = member
  await open(page)
  await page.click('role=button[name="Preview"]')
  await page.click('role=dialog >> role=button[name="Daily"]')
  const frame = page.frameLocator('iframe')
  await frame.locator('h1', { hasText: site.domain }).waitFor()
  await frame.locator('text=/<b>bold').waitFor()
  await frame.locator('img[src^="data:image/png"]').waitFor()
  await page.click('role=tab[name="Text"]')
  await page.waitForSelector('pre:has-text("Unique visitors")')
  expect(complaints).toEqual([])
})

test('reports: it says when the service sends no mail, what failed, and when it takes too long', async () => {
  const { page } = member
  visit.api.services.config.mail = undefined
  await open(page)
  await page.waitForSelector('text=its operator has to set SMTP_URL')
  expect(await page.locator('role=button[name="Add an address"]').count()).toBe(0)
  visit.api.services.config.mail = server.mail
  await page.route('**/trpc/reports.list**', route => route.fulfill(TOO_SLOW))
  await page.reload()
  await page.waitForSelector('text=This takes too long')
  await page.unroute('**/trpc/reports.list**')

  const address = `${'x'.repeat(150)}@example.com`
  await site.call('POST', '/reports', { address, frequencies: ['weekly'] })
  await visit.api.services.db`
    update report_deliveries set problem = 'refused', response = ${`451 ${'later '.repeat(30)}`}, attempts = 1`
  await open(page)
  await page.waitForSelector('text=the mail server did not take it')
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await sticksOut(page)).toBe(false)
  await page.setViewportSize({ width: 1280, height: 900 })
  expect(await accessibilityProblems(page)).toEqual([])
})

test('reports: who has the link of a mail agrees and unsubscribes without a login, by a button', async () => {
  const made = await site.call('POST', '/reports', { address: 'grace@example.com', frequencies: ['weekly'] })
  const { config } = visit.api.services
  const page = await (await visit.person()).newPage()
  const complaints = complaintsOf(page)
  await page.goto(linkTo(config, 'confirm', made.body.id))
  await page.waitForSelector(`text=Do you want mails about ${site.domain}`)
  expect(await accessibilityProblems(page)).toEqual([])
  await page.click('role=button[name="Yes, send them"]')
  await page.waitForSelector('text=You get mails about')
  await page.goto(linkTo(config, 'unsubscribe', made.body.id))
  await page.waitForSelector('role=button[name="Unsubscribe"]')
  expect((await list()).find(({ id }: { id: string }) => id === made.body.id).state).toBe('confirmed')
  await page.click('role=button[name="Unsubscribe"]')
  await page.waitForSelector('text=grace@example.com gets no mails about')
  expect((await list()).find(({ id }: { id: string }) => id === made.body.id).state).toBe('unsubscribed')
  expect(complaints).toEqual([])
  await page.goto(`${visit.origin}/mail/unsubscribe/made.up`)
  await page.waitForSelector('text=The link does not work')
})

test('reports: members do not see the part', async () => {
  const other = await visit.member({ teamId: member.login.teamId, role: 'member' })
  await other.page.goto(`${visit.origin}/sites/${site.domain}/settings`)
  await other.page.waitForSelector('text=Sharing')
  expect(await other.page.locator('main nav >> text=Reports').count()).toBe(0)
  await other.context.close()
})
