import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startLocalServer } from '../support/local-server.ts'
import { entriesOf, PASSWORD, setUp } from '../support/log-in.ts'
import { ofFile } from '../support/of-file.ts'
import { newPage, sessionOf, startVisit } from './visit.ts'

const HTML = '<!doctype html><link rel="icon" href="data:,"><body>'
const server = ofFile(() =>
  startLocalServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(HTML)),
)
const visit = ofFile(startVisit)

/** A signed-in person, with a page of another origin open until the case ends. */
async function lured(hostname: string, serviceOrigin: string) {
  const { cookie, loginId } = await setUp(visit.api)
  visit.api.services.config.baseUrl = serviceOrigin
  const page = await newPage(visit)
  await page
    .context()
    .addCookies([
      { name: 'analytics_session', value: cookie, url: serviceOrigin, httpOnly: true, sameSite: 'Lax' },
    ])
  await page.goto(`http://${hostname}:${server.port}/`)
  return {
    page,
    async expectUntouched() {
      expect(await sessionOf(page.context())).toBe(cookie)
      const actions = (await entriesOf(visit.api, loginId)).map(({ action }) => action)
      expect(actions).toEqual(['login.setup', 'login.success'])
    },
  }
}

/** Sends a form from the page into a new window, as a click on a trap does; a body of text/plain can be JSON. */
async function sendForm(page: Page, action: string, fields: Record<string, string>, enctype: string) {
  const opened = page.context().waitForEvent('page')
  await page.evaluate(`{
    const form = document.createElement('form')
    Object.assign(form, ${JSON.stringify({ action, enctype, method: 'post', target: '_blank' })})
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      const input = document.createElement('input')
      Object.assign(input, { name, value })
      form.append(input)
    }
    document.body.append(form)
    form.submit()
  }`)
  const answer = await opened
  await answer.waitForLoadState('load')
  const text = await answer.textContent('body')
  await answer.close()
  return text ?? ''
}

/** What a script of the page gets from the service. */
const fetchFrom = (page: Page, url: string, init: object): Promise<string> =>
  page.evaluate(
    ({ url, init }) =>
      fetch(url, { credentials: 'include', ...init }).then(
        async answer => `${answer.type} ${answer.status} ${await answer.text()}`,
        () => 'failed',
      ),
    { url, init },
  )

const loadImage = (page: Page, url: string): Promise<void> =>
  page.evaluate(`new Promise(resolve => {
    const image = new Image()
    image.onload = image.onerror = () => resolve()
    image.src = ${JSON.stringify(url)}
  })`)

/** Where the trap stands; browsers send Sec-Fetch-Site only to the second address of the service, and the cookie from the third trap. */
describe.each([
  ['another site', 'evil.example', 'analytics.example'],
  ['another site, with Sec-Fetch-Site', 'localhost', '127.0.0.1'],
  ['another host of the same site', 'evil.analytics.example', 'analytics.example'],
])('a page of %s', (_, hostname, serviceHost) => {
  const originOf = () => `http://${serviceHost}:${new URL(visit.api.url).port}`

  test('can neither change nor read anything, nor sign the person in as somebody else', {
    tags: ['full'],
  }, async () => {
    const attacker = await setUp(visit.api)
    const origin = originOf()
    const { page, expectUntouched } = await lured(hostname, origin)
    const end = `${origin}/trpc/account.endSessions`
    const login = JSON.stringify({ email: attacker.email, password: PASSWORD })
    const asJson = { '{"a': '":1}' }
    for (const answer of [
      await sendForm(page, `${origin}/api/auth/logout`, {}, 'application/x-www-form-urlencoded'),
      await sendForm(page, `${origin}/api/account/totp/secret`, asJson, 'text/plain'),
      await sendForm(page, end, asJson, 'text/plain'),
    ])
      expect(answer).toMatch(/"(forbidden|unauthenticated|unsupported_media_type)"/)
    const signingIn = { [`${login.slice(0, -1)},"a":"`]: '"}' }
    expect(await sendForm(page, `${origin}/api/auth/login`, signingIn, 'text/plain')).toContain('"forbidden"')
    for (const type of ['text/plain', 'application/json']) {
      for (const mode of ['cors', 'no-cors']) {
        const init = { method: 'POST', mode, headers: { 'Content-Type': type } }
        for (const url of [end, `${origin}/api/auth/logout`])
          await fetchFrom(page, url, { ...init, body: '{}' })
        await fetchFrom(page, `${origin}/api/auth/login`, { ...init, body: login })
      }
    }
    await fetchFrom(page, `${origin}/api/account/sessions`, { method: 'DELETE' })
    await loadImage(page, `${end}?input=%7B%7D`)
    await loadImage(page, `${origin}/api/auth/logout`)
    for (const path of ['/api/account', '/trpc/account.get']) {
      expect(await fetchFrom(page, origin + path, {})).toBe('failed')
      expect(await fetchFrom(page, origin + path, { mode: 'no-cors' })).toMatch(/^(opaque 0 $|failed)/)
    }
    await expectUntouched()
  })
})
