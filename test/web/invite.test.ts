import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { PASSWORD, setUp, withCookie } from '../support/log-in.ts'
import { ofFile } from '../support/of-file.ts'
import { fill, newPage, openWhole, sessionOf, startVisit } from './visit.ts'

const visit = ofFile(startVisit)

/** Teams of the person of a page, with their role. */
async function teamsIn(page: Page): Promise<string[]> {
  const headers = withCookie(visit.api, (await sessionOf(page.context()))!)
  const { body } = await visit.api.call('GET', '/api/account', { headers })
  return body.teams.map(({ name, role }: { name: string; role: string }) => `${name} ${role}`)
}

test('an invitation says what it is for, and is accepted with a new login, and by the signed-in person', async () => {
  const { api, origin } = visit
  const { cookie, email: owner } = await setUp(api)
  const headers = withCookie(api, cookie)
  const invite = async (email: string) => {
    const { body } = await api.call('POST', '/api/invitations', { headers, body: { email, role: 'viewer' } })
    return body.url.split('#')[1] as string
  }
  const email = `${randomUUID()}@example.com`
  const page = await newPage(visit)
  await openWhole(page, `${origin}/invite#${await invite(email)}`)
  await page.waitForSelector('h1:has-text("Join Acme")')
  expect(await page.textContent('main')).toContain(`${owner} invites ${email} to the team Acme.`)
  expect(await page.textContent('main')).toContain('Viewer · ')
  expect(await page.inputValue('[name=email]')).toBe(email)
  await fill(page, { password: 'short' })
  expect(await page.locator('[name=password]:invalid').count()).toBe(1)
  await fill(page, { name: 'Grace', password: PASSWORD })
  await page.waitForURL(`${origin}/`)
  expect(await teamsIn(page)).toEqual(['Acme viewer'])
  const other = await setUp(api)
  const invited = await invite(other.email)
  const second = await newPage(visit)
  await openWhole(second, `${origin}/invite#${invited}`)
  await second.waitForSelector('text=A login with this address exists')
  await second.click('text=Sign in first')
  await second.waitForURL('**/login#invite=*')
  await fill(second, { email: other.email, password: PASSWORD })
  await second.waitForSelector('text=You are signed in, and join')
  await second.click('text=Join the team')
  await second.waitForURL(`${origin}/`)
  expect(await teamsIn(second)).toEqual(['Acme owner', 'Acme viewer'])
  await openWhole(second, `${origin}/invite#${invited}`)
  await second.waitForSelector('[role=alert]')
  // A link that works, opened in the same tab.
  const another = await invite(other.email.replace('@', '.second@'))
  await second.evaluate(`location.hash = '${another}'`)
  await second.click('text=Join with another login')
  await second.waitForSelector('text=Make a login and join')
})
