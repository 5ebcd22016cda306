import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entriesOf, PASSWORD, setUp, withCookie } from '../support/log-in.ts'
import { fill, sessionOf, startVisit, type Visit } from './visit.ts'

let visit: Visit
let server: Server
let port: number
beforeAll(async () => {
  visit = await startVisit()
  server = createServer((_, response) => {
    response
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end('<!doctype html><link rel="icon" href="data:,"><body>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await visit.close()
})

/** A signed-in person, with a page of another origin open. */
async function lured(hostname: string, serviceOrigin: string) {
  const person = await setUp(visit.api)
  const context = await visit.person()
  visit.api.services.config.baseUrl = serviceOrigin
  await context.addCookies([
    { name: 'analytics_session', value: person.cookie, url: serviceOrigin, httpOnly: true, sameSite: 'Lax' },
  ])
  const page = await context.newPage()
  await page.goto(`http://${hostname}:${port}/`)
  return { ...person, context, page }
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

async function expectUntouched(person: { loginId: string; context: BrowserContext; cookie: string }) {
  expect(await sessionOf(person.context)).toBe(person.cookie)
  const actions = (await entriesOf(visit.api, person.loginId)).map(({ action }) => action)
  expect(actions).toEqual(['login.setup', 'login.success'])
}

/** Where the trap stands; browsers send Sec-Fetch-Site only to the second address of the service, and the cookie from the third trap. */
describe.each([
  ['another site', 'evil.example', 'analytics.example'],
  ['another site, with Sec-Fetch-Site', 'localhost', '127.0.0.1'],
  ['another host of the same site', 'evil.analytics.example', 'analytics.example'],
])('a page of %s', (_, hostname, serviceHost) => {
  const originOf = () => `http://${serviceHost}:${new URL(visit.api.url).port}`

  test('cannot change anything with forms, scripts or pictures', async () => {
    const origin = originOf()
    const person = await lured(hostname, origin)
    const { page } = person
    const end = `${origin}/trpc/account.endSessions`
    const answers = [
      await sendForm(page, `${origin}/api/auth/logout`, {}, 'application/x-www-form-urlencoded'),
      await sendForm(page, `${origin}/api/account/totp/secret`, { '{"a': '":1}' }, 'text/plain'),
      await sendForm(page, end, { '{"a': '":1}' }, 'text/plain'),
    ]
    for (const answer of answers)
      expect(answer).toMatch(/"(forbidden|unauthenticated|unsupported_media_type)"/)
    for (const type of ['text/plain', 'application/json']) {
      for (const mode of ['cors', 'no-cors']) {
        const init = { method: 'POST', mode, headers: { 'Content-Type': type }, body: '{}' }
        for (const url of [end, `${origin}/api/auth/logout`]) await fetchFrom(page, url, init)
      }
    }
    await fetchFrom(page, `${origin}/api/account/sessions`, { method: 'DELETE' })
    await loadImage(page, `${end}?input=%7B%7D`)
    await loadImage(page, `${origin}/api/auth/logout`)
    await expectUntouched(person)
    await person.context.close()
  })

  test('cannot read anything with the cookie', async () => {
    const origin = originOf()
    const { page, context } = await lured(hostname, origin)
    for (const path of ['/api/account', '/trpc/account.get']) {
      expect(await fetchFrom(page, origin + path, {})).toBe('failed')
      expect(await fetchFrom(page, origin + path, { mode: 'no-cors' })).toMatch(/^(opaque 0 $|failed)/)
    }
    await context.close()
  })

  test('cannot sign the person in as somebody else', async () => {
    const attacker = await setUp(visit.api)
    const origin = originOf()
    const person = await lured(hostname, origin)
    const { page } = person
    const credentials = { email: attacker.email, password: PASSWORD }
    const json = JSON.stringify(credentials)
    const answer = await sendForm(
      page,
      `${origin}/api/auth/login`,
      { [`${json.slice(0, -1)},"a":"`]: '"}' },
      'text/plain',
    )
    expect(answer).toContain('"forbidden"')
    const init = { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' }, body: json }
    await fetchFrom(page, `${origin}/api/auth/login`, init)
    await expectUntouched(person)
    await person.context.close()
  })
})

describe('a cookie that somebody planted', () => {
  test('is worthless after the person has signed in', async () => {
    const { api } = visit
    const [victim, attacker] = [await setUp(api), await setUp(api)]
    api.services.config.baseUrl = visit.origin
    const context = await visit.person()
    await context.addCookies([{ name: 'analytics_session', value: attacker.cookie, url: visit.origin }])
    const page = await context.newPage()
    await page.goto(`${visit.origin}/login`)
    await fill(page, { email: victim.email, password: PASSWORD })
    await page.waitForURL(`${visit.origin}/`)
    const own = await sessionOf(context)
    expect(own).not.toBe(attacker.cookie)
    const account = await api.call('GET', '/api/account', { headers: withCookie(api, own!) })
    expect(account.body.email).toBe(victim.email)
    const headers = { Cookie: `analytics_session=${attacker.cookie}` }
    expect((await api.call('GET', '/api/account', { headers })).status).toBe(401)
    await context.close()
  })
})
