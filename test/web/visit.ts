import type { BrowserContext, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { Role } from '../../src/teams/schema.ts'
import { type Api, startApi } from '../support/api.ts'
import { type SignedIn, signIn } from '../support/browser-session.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { newPerson, startShell } from '../tracker/chromium.ts'

export interface Visit {
  api: Api
  /** Address of the service for browsers. */
  origin: string
  /** A person with a browser of their own. */
  person(options?: PersonOptions): Promise<BrowserContext>
  /** A person who is signed in, with a page. */
  member(options?: PersonOptions & { teamId?: string; role?: Role }): Promise<Member>
  close(): Promise<void>
}

interface PersonOptions {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  locale?: string
  /** Time zone of the browser. */
  timezone?: string
}

export interface Member {
  login: SignedIn
  context: BrowserContext
  page: Page
  /** What the page complained about in the console: errors of scripts and of the security policy. */
  complaints: string[]
}

/** The service, and a real browser that visits it under a name. */
export async function startVisit(options: Parameters<typeof startApi>[0] = {}): Promise<Visit> {
  const [api, browser] = await Promise.all([startApi(options), startShell()])
  api.services.rollups = inProcessPool(api.services.db)
  const origin = `http://analytics.example:${new URL(api.url).port}`
  api.services.config.baseUrl = origin
  api.services.config.limits.browser = 0
  const person = ({ width = 1280, height = 900, theme = 'light', locale, timezone }: PersonOptions = {}) =>
    newPerson(browser, {
      viewport: { width, height },
      colorScheme: theme,
      locale: locale ?? 'en-GB',
      timezoneId: timezone ?? 'UTC',
      reducedMotion: 'reduce',
    })
  return {
    api,
    origin,
    person,
    async member({ teamId, role, ...rest } = {}) {
      const login = await signIn(api, { ...(teamId && { teamId }), ...(role && { role }) })
      const context = await person(rest)
      await context.addCookies([{ name: 'analytics_session', value: login.secret, url: origin }])
      const page = await context.newPage()
      return { login, context, page, complaints: complaintsOf(page) }
    },
    async close() {
      await browser.close()
      await api.close()
    },
  }
}

/** What is no complaint: an answer with an error, which pages show, and a header that browsers want https for. */
const IGNORED = /^(Failed to load resource|The Cross-Origin-Opener-Policy header has been ignored)/

/** Collects what a page complains about from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  page.on('console', message => {
    const text = message.text()
    if (message.type() === 'error' && !IGNORED.test(text)) complaints.push(text)
  })
  return complaints
}

/** A page of a person who is not signed in, until the case ends. */
export async function newPage({ person }: Visit, options?: PersonOptions): Promise<Page> {
  const context = await person(options)
  onTestFinished(() => context.close())
  return context.newPage()
}

/** Changes settings of the service until the case ends. */
export function setConfig({ api: { services } }: Visit, changes: object): void {
  const before = { ...services.config }
  onTestFinished(() => void Object.assign(services.config, before))
  Object.assign(services.config, changes)
}

/** Fills the fields of a form by their names, and sends it. */
export async function fill(page: Page, values: Record<string, string>): Promise<void> {
  await page.waitForSelector('form')
  for (const [name, value] of Object.entries(values)) await page.fill(`form [name=${name}]`, value)
  await page.click('form button[type=submit]')
}

/** The secret of the session in a browser. */
export async function sessionOf(context: BrowserContext): Promise<string | undefined> {
  const cookies = await context.cookies()
  return cookies.find(({ name }) => name.includes('analytics_session'))?.value
}
