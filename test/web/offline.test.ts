import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { siteVisit } from './site-visit.ts'

const hits = [{ at: Date.now() - 3_600_000, visitor: randomUUID() }]
const all = siteVisit({ hits })

test('offline: a banner says so, numbers say how old they are, and a page that is not loaded comes with the connection', async () => {
  const { page, open, member } = all
  await open('?range=last_7_days')
  await member.context.setOffline(true)
  await page.waitForSelector('[role=status] >> text=The server has not answered since')
  await page.waitForSelector('main >> text=As of')
  await page.click('nav >> text=Funnels')
  await page.waitForSelector('h1 >> text=This page could not be loaded')
  await page.click('role=button[name="Try again"]')
  await page.waitForSelector('h1 >> text=This page could not be loaded')
  await member.context.setOffline(false)
  await page.waitForSelector('h1 >> text=This page could not be loaded', { state: 'detached' })
  await page.waitForSelector('main >> text=/funnel/i')
  expect(await page.$('text=The server has not answered since')).toBeNull()
})
