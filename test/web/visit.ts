import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import type { Role } from '../../src/access/teams/caller.ts'
import { type Api, startApi } from '../support/api.ts'
import { type SignedIn, signIn } from '../support/browser-session.ts'
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

let shell: Promise<Browser> | undefined

/** The service, and a real browser that visits it under a name; the browser is that of all files of the same worker, and ends with it. */
export async function startVisit(options: Parameters<typeof startApi>[0] = {}): Promise<Visit> {
  shell ??= startShell()
  const [api, browser] = await Promise.all([startApi(options), shell])
  const origin = `http://analytics.example:${new URL(api.url).port}`
  api.services.config.baseUrl = origin
  api.services.config.limits.browser = 0
  const contexts: BrowserContext[] = []
  const person: Visit['person'] = async (options = {}) => {
    const { width = 1280, height = 900, theme = 'light', locale = 'en-GB', timezone = 'UTC' } = options
    const context = await newPerson(browser, {
      viewport: { width, height },
      colorScheme: theme,
      locale,
      timezoneId: timezone,
      reducedMotion: 'reduce',
    })
    contexts.push(context)
    return context
  }
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
      await Promise.all(contexts.map(context => context.close()))
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

/** Values of fields by their names: of a box, whether it is checked. */
export type Values = Record<string, string | boolean>

/** Fills the fields of a form, and sends it. */
export async function sendForm(form: Locator, values: Values): Promise<void> {
  await form.waitFor()
  for (const [name, value] of Object.entries(values)) {
    const field = form.locator(`[name=${name}]`)
    if (typeof value === 'boolean') await field.setChecked(value)
    else if ((await form.locator(`select[name=${name}]`).count()) > 0) await field.selectOption(value)
    else await field.fill(value)
  }
  await form.locator('button[type=submit]').click()
}

/** Sends the form of a page. */
export const fill = (page: Page, values: Values) => sendForm(page.locator('form'), values)

/** The secret of the session in a browser. */
export async function sessionOf(context: BrowserContext): Promise<string | undefined> {
  const cookies = await context.cookies()
  return cookies.find(({ name }) => name.includes('analytics_session'))?.value
}

/**
 * Whether a page shows something two frames from now, and nothing stands in the place of an answer that is still to come. The page before is
 * hidden while the script of the next one is loading.
 */
const IS_SHOWN = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(
  [...document.querySelectorAll('h1, h2, main p')].some(each => each.checkVisibility()) &&
  !document.querySelector('[role=status][aria-label], [aria-busy=true]')))))`

/**
 * Opens a page, and waits until it has shown everything that it reads.
 * @param within whether a page of the service is open, which then leads there itself, as by a link
 */
export async function openWhole(page: Page, url: string, within = false): Promise<void> {
  const running = new Set<Request>()
  let begun = 0
  const begin = (request: Request) => {
    begun += 1
    running.add(request)
  }
  const end = (request: Request) => void running.delete(request)
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  await (within ? page.evaluate(`history.pushState(null, '', ${JSON.stringify(url)})`) : page.goto(url))
  const isWhole = async () => {
    const before = begun
    const isShown = await page.evaluate(IS_SHOWN)
    return isShown && running.size === 0 && begun === before
  }
  await expect.poll(isWhole, { interval: 1 }).toBe(true)
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end)
}

/** Waits for what a page asks for from time to time: after `page.clock.install()`, without waiting as long as people do. */
export async function askedFor(page: Page, selector: string): Promise<void> {
  const isThere = async () => {
    await page.clock.fastForward(2_000)
    return page.isVisible(selector)
  }
  await expect.poll(isThere).toBe(true)
}
