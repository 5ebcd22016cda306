import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { siteVisit } from './site-visit.ts'

const hits = [{ at: Date.now() - 3_600_000, visitor: randomUUID(), fields: { url: '/%C3%BC' } }]
const all = siteVisit({ hits })

test('address: a value that cannot be answered is said once, with the way to the page without it; paths are read decoded', async () => {
  const { page } = all
  for (const query of ['goal=x', `segment=${randomUUID()}`, 'from=2026-03-02&to=2026-03-01']) {
    await page.goto(`${all.visit.origin}/sites/${all.site.domain}?${query}`)
    await page.waitForSelector('main [role=alert] >> text=The address has a value')
    expect(await page.locator('main [role=alert]').count(), query).toBe(1)
    await page.click('role=button[name="Show the page without it"]')
    await page.waitForSelector('main strong[title]')
    expect(new URL(page.url()).search, query).toBe('')
  }
  await page.waitForSelector('section[aria-label="Pages"] >> text=/ü')
})
