import type { Page } from 'playwright-core'
import { setUp, withCookie } from '../support/log-in.ts'
import type { Teammate } from '../support/teammates.ts'
import { complaintsOf, newPage, sendForm, sessionOf, type Values, type Visit } from './visit.ts'

type Person = Awaited<ReturnType<typeof setUp>> & {
  page: Page
  complaints: string[]
  /** Asks the API as the person does. */
  ask: Teammate['ask']
}

/** A person with a password who is signed in, with a page until the case ends. */
export async function signedInPage(visit: Visit): Promise<Person> {
  const { api, origin } = visit
  const login = await setUp(api)
  const page = await newPage(visit)
  const context = page.context()
  await context.addCookies([{ name: 'analytics_session', value: login.cookie, url: origin }])
  // Changes of a login give its session a new secret.
  const headers = async () => withCookie(api, (await sessionOf(context)) ?? login.cookie)
  return {
    ...login,
    page,
    complaints: complaintsOf(page),
    ask: async (method, path, body) => api.call(method, path, { headers: await headers(), body }),
  }
}

/** Sends the form of the open dialog. */
export const fillDialog = (page: Page, values: Values = {}) =>
  sendForm(page.locator('[role=dialog] form'), values)

/** Presses a button, confirms in the dialog, and waits for what the page says then. */
export async function confirmed(page: Page, button: string, said: string): Promise<void> {
  await page.click(button)
  await fillDialog(page)
  await page.waitForSelector(said)
}

export const dialogGone = (page: Page) => page.waitForSelector('[role=dialog]', { state: 'detached' })
