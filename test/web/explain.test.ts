import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { TOO_SLOW } from './seeded-site.ts'
import { siteVisit } from './site-visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const HOUR = 3_600_000

const visitors = Array.from({ length: 30 }, () => randomUUID())
const all = siteVisit({
  ...{ now: () => NOW, timezone: 'Asia/Tokyo' },
  hits: visitors.map((visitor, index) => ({
    at: NOW.getTime() - (index + 1) * 5 * HOUR,
    visitor,
    fields: { url: index % 3 === 0 ? '/pricing' : '/' },
  })),
})
beforeAll(async () => {
  const sale = { amount: 4900, currency: 'USD', transaction_id: 'sale-1', visitor_id: visitors[0]! }
  await all.site.call('POST', '/payments', sale)
})

const RANGE = 'range=last_30_days'
const panelOf = (page: Page) => page.getByRole('dialog').last()

test('explain: a figure opens its rule, parts and visits by keyboard, and leads to a visit', async () => {
  const { page, member, open, read } = all
  const asked: string[] = []
  page.on('request', request => {
    if (request.url().includes('stats.explain')) asked.push(request.url())
  })
  await open(`?${RANGE}`)
  const sign = page.getByRole('button', { name: 'Where “Bounce rate” comes from' })
  await sign.waitFor()
  expect(asked).toEqual([])
  await sign.focus()
  await page.keyboard.press('Enter')
  const panel = panelOf(page)
  await panel.getByText('100 × Bounces ÷ Visits').waitFor()
  const answer = await read(`/explain?metric=bounce_rate&${RANGE}`)
  const cells = await panel.locator('tfoot td').allTextContents()
  expect(cells).toEqual([String(answer.terms.bounces), String(answer.terms.sessions)])
  expect(await panel.locator('section li').count()).toBe(25)
  await panel.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => panel.locator('section li').count()).toBe(30)
  expect(await accessibilityProblems(page)).toEqual([])
  await panel.locator('section a').first().click()
  await page.waitForURL(`**/sessions/${answer.rows.data[0].session_id}*`)
  expect(member.complaints).toEqual([])
})

test('explain: rows of a details dialog and figures of money are explained, on a phone, too', {
  tags: ['full'],
}, async () => {
  const { page, member, open } = all
  const { width, height } = page.viewportSize()!
  onTestFinished(() => page.setViewportSize({ width, height }))
  await page.setViewportSize({ width: 360, height: 800 })
  await open(`?${RANGE}`)
  await page.click('section[aria-label="Pages"] >> text=Details')
  await page.getByRole('button', { name: 'Where “/pricing” comes from' }).click()
  await panelOf(page).getByLabel('Number').selectOption('pageviews')
  await panelOf(page).locator('tfoot').getByText('10', { exact: true }).waitFor()
  expect(await sticksOut(page)).toBe(false)
  await open(`money?${RANGE}`)
  await page.getByRole('button', { name: 'Where “Revenue” comes from' }).click()
  await panelOf(page).locator('tfoot').getByText('$49.00').waitFor()
  expect(await sticksOut(page)).toBe(false)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await page.route('**/trpc/stats.explain*', route => route.fulfill(TOO_SLOW))
  await page.getByRole('button', { name: 'Where “Paying customers” comes from' }).click()
  await panelOf(page).getByRole('alert').waitFor()
  expect(member.complaints.filter(text => !text.includes('503'))).toEqual([])
})
