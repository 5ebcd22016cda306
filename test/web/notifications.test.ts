import { beforeAll, expect, test } from 'vitest'
import { startMailServer } from '../support/mail-server.ts'
import { ofFile } from '../support/of-file.ts'
import { accessibilityProblems, expectFit } from './audit-page.ts'
import { type SeededSite, seededSite } from './seeded-site.ts'
import { confirmed, fillDialog } from './signed-in-page.ts'
import { siteVisit } from './site-visit.ts'

const all = siteVisit()
const server = ofFile(startMailServer)
beforeAll(() => {
  all.visit.api.services.config.mail = server.mail
})

const open = async (part: string, of?: SeededSite) => {
  await all.open(`settings/${part}`, of)
  await all.page.waitForSelector('main h2')
}

test('notifications: a webhook is made, tested, looked at, rotated and deleted', async () => {
  const { page, member, read } = all
  await open('webhooks')
  await page.waitForSelector('text=No webhook yet')
  await page.click('text=New webhook')
  await fillDialog(page, { name: '<b>Receiver</b>', url: 'https://10.0.0.1/' })
  await page.waitForSelector('text=must not name a private address')
  await fillDialog(page, { url: 'https://receiver.example/hook' })
  await page.waitForSelector('role=dialog >> text=whsec_')
  await page.keyboard.press('Escape')
  await page.click('text=Send a test')
  await page.waitForSelector('role=dialog >> text=Test message')
  await page.click('role=dialog >> text=Details')
  await page.waitForSelector('role=dialog >> text=This is a test.')
  expect(await accessibilityProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  const [made] = await read('/webhooks')
  expect(made).toMatchObject({
    name: '<b>Receiver</b>',
    kinds: ['goal.converted', 'payment.paid'],
    waiting: 1,
  })
  await page.click('text=Turn off')
  await page.waitForSelector('text=Turned off')
  await confirmed(page, 'role=button[name="Delete"]', 'text=No webhook yet')
  expect(await read('/webhooks')).toEqual([])
  expect(member.complaints).toEqual([])
})

test('notifications: an alert is made for a webhook and addresses, changed and deleted', {
  tags: ['full'],
}, async () => {
  const { visit, page, member } = all
  const site = await seededSite(visit, member)
  const listed = async () => (await site.call('GET', '/alerts')).body
  const body = { name: 'Channel', url: 'https://chat.example/x', kinds: [], format: 'slack' }
  await site.call('POST', '/webhooks', body)
  await open('alerts', site)
  await page.waitForSelector('text=No incident yet')
  await page.click('text=New alert')
  await page.selectOption('label:has-text("When") + select', 'no_hits')
  await page.check('role=dialog >> text=Channel')
  await fillDialog(page, { name: 'Silence', emails: 'nobody' })
  await page.waitForSelector('text=must be an e-mail address')
  expect(await accessibilityProblems(page)).toEqual([])
  await fillDialog(page, { emails: 'ada@example.com' })
  await page.waitForSelector('text=ada@example.com (waits for its owner to agree), 1 webhook')
  const [made] = await listed()
  expect(made).toMatchObject({ condition: { kind: 'no_hits', hours: 3 }, emails: ['ada@example.com'] })
  await expectFit(page)
  await page.click('role=button[name="Edit"]')
  await page.selectOption('label:has-text("When") + select', 'mrr_churn')
  await page.selectOption('label:has-text("Measured in") + select', 'amount')
  await page.fill('label:has-text("Limit, in USD") + input', '12.50')
  await page.click('role=dialog >> text=Save')
  await page.waitForSelector('text=Lost MRR')
  const [changed] = await listed()
  expect(changed.condition).toEqual({ kind: 'mrr_churn', unit: 'amount', value: 1_250, days: 7 })
  const { db } = visit.api.services
  await db`
    insert into alert_incidents
      (rule_id, site_no, rule_name, kind, text, value, bound, condition, currency, opened_at, resolved_at, resolution)
    select
      id, site_no, name, kind, 'in English', 2000, 1250, condition, 'USD', now(), now(), 'too_little_data'
    from alert_rules where id = ${made.id}`
  await page.evaluate(() => localStorage.setItem('language', 'de'))
  await open('alerts', site)
  await page.waitForSelector('text=Verlorener MRR in den letzten 7 Tagen: 20,00 $; die Grenze ist 12,50 $.')
  await page.waitForSelector('text=eine Woche lang zu wenige Daten')
  await page.evaluate(() => localStorage.setItem('language', 'en'))
  await open('alerts', site)
  await confirmed(page, 'role=button[name="Delete"]', 'text=No alert yet')
  expect(member.complaints).toEqual([])
})
