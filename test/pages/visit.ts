import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Api, startApi } from '../support/api.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { startChromium } from '../tracker/chromium.ts'

export interface Visit {
  api: Api
  browser: Browser
  /** Address of the service for browsers. */
  origin: string
  /** A person with a browser of their own, who reads what pages complain about. */
  person(): Promise<BrowserContext>
  close(): Promise<void>
}

/** The service, and a real browser that visits it under a name. */
export async function startVisit(options: Parameters<typeof startApi>[0] = {}): Promise<Visit> {
  const [api, browser] = await Promise.all([startApi(options), startChromium()])
  api.services.rollups = inProcessPool(api.services.db)
  const origin = `http://analytics.example:${new URL(api.url).port}`
  api.services.config.baseUrl = origin
  api.services.config.limits.browser = 0
  return {
    api,
    browser,
    origin,
    person: () => browser.newContext(),
    async close() {
      await browser.close()
      await api.close()
    },
  }
}

/** Fills the fields of a form by their names, and sends it. */
export async function fill(page: Page, values: Record<string, string>): Promise<void> {
  await page.waitForSelector('form')
  for (const [name, value] of Object.entries(values)) await page.fill(`[name=${name}]`, value)
  await page.click('button.main')
}

/** The secret of the session in a browser. */
export async function sessionOf(context: BrowserContext): Promise<string | undefined> {
  const cookies = await context.cookies()
  return cookies.find(({ name }) => name.includes('analytics_session'))?.value
}
