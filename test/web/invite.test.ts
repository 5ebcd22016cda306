import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PASSWORD, setUp, withCookie } from '../support/log-in.ts'
import { fill, startVisit, type Visit } from './visit.ts'

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit.close())

test('an invitation is accepted with a new login, and by the signed-in person', async () => {
  const { api, origin } = visit
  const { cookie } = await setUp(api)
  const invite = async (email: string) => {
    const answer = await api.call('POST', '/api/invitations', {
      headers: withCookie(api, cookie),
      body: { email, role: 'viewer' },
    })
    return answer.body.url.split('#')[1] as string
  }
  const email = `${randomUUID()}@example.com`
  const page = await (await visit.person()).newPage()
  await page.goto(`${origin}/invite#${await invite(email)}`)
  await page.waitForSelector('form')
  await fill(page, { name: 'Grace', password: PASSWORD })
  await page.waitForSelector('text=Acme (viewer)')
  const other = await setUp(api)
  const invited = await invite(other.email)
  const second = await (await visit.person()).newPage()
  await second.goto(`${origin}/invite#${invited}`)
  await second.waitForSelector('a.button')
  await second.click('a.button')
  await fill(second, { email: other.email, password: PASSWORD })
  await second.waitForSelector('text=You are signed in, and join')
  await second.click('button.main')
  await second.waitForSelector('text=Acme (viewer)')
  expect(await second.textContent('main')).toContain('Acme (owner)')
  await second.goto(`${origin}/invite#${invited}`)
  await second.waitForSelector('.error')
})
