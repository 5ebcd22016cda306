import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createTeam, createUser } from '../../src/access/teams/accounts.ts'
import { PASSWORD } from '../support/log-in.ts'
import { ofFile } from '../support/of-file.ts'
import { actionsOf, siteOf, teammate, wholeTeam } from '../support/teammates.ts'
import { expectFit } from './audit-page.ts'
import { TOO_SLOW } from './seeded-site.ts'
import { dialogGone, fillDialog, signedInPage } from './signed-in-page.ts'
import { fill, newPage, openWhole, startVisit } from './visit.ts'

const visit = ofFile(startVisit)

/** The names of the parts that a page offers. */
const partsOf = (page: Page) => page.locator('nav[aria-label=Team] a').allTextContents()

/** Chooses from the menu of a row. */
async function choose(page: Page, name: string, action: string) {
  await page.click(`[aria-label="Change ${name}"]`)
  await page.click(`[role=menuitem]:has-text("${action}")`)
}

test('people: a list that cannot be read is read again; an owner changes roles and sites, removes people and hands the team over', async () => {
  const { api, origin } = visit
  const { page, teamId, ask, email, complaints } = await signedInPage(visit)
  const site = await siteOf(api, teamId)
  const member = await teammate(api, { teamId, role: 'member', name: 'Grace' })
  const viewer = await teammate(api, { teamId, role: 'viewer' })
  await page.route('**/trpc/users.list*', route => route.fulfill(TOO_SLOW))
  await openWhole(page, `${origin}/team`)
  await page.waitForSelector('main [role=alert]')
  await page.unroute('**/trpc/users.list*')
  await page.click('text=Try again')
  await page.waitForSelector('h1:has-text("Acme")')
  expect(await partsOf(page)).toEqual(['People', 'Invitations', 'Tokens', 'Audit log', 'Settings'])
  const rows = page.locator('main tbody tr')
  await rows.nth(2).waitFor()
  expect(await rows.nth(0).textContent()).toContain(`${email}You`)
  const userOf = async (id: string) =>
    (await ask('GET', '/api/users')).body.find((user: { id: string }) => user.id === id)

  await choose(page, viewer.email, 'Role and sites')
  await page.click('[role=dialog] >> text=Only some')
  await page.click('[role=dialog] input[type=checkbox]')
  await fillDialog(page)
  await dialogGone(page)
  expect(await userOf(viewer.userId)).toMatchObject({ role: 'viewer', site_ids: [site] })
  await choose(page, member.email, 'Role and sites')
  await page.selectOption('[role=dialog] select', 'admin')
  await page.waitForSelector('[role=dialog] >> text=Only some', { state: 'detached' })
  await fillDialog(page)
  await dialogGone(page)
  expect(await userOf(member.userId)).toMatchObject({ role: 'admin', site_ids: null })

  await choose(page, viewer.email, 'Remove')
  await fillDialog(page)
  await page.waitForSelector(`[aria-label="Change ${viewer.email}"]`, { state: 'detached' })
  expect(await userOf(viewer.userId)).toBeUndefined()
  await choose(page, member.email, 'Hand the team over')
  await fillDialog(page, { password: 'wrong password' })
  await page.waitForSelector('[role=dialog] >> text=The password is wrong')
  await fillDialog(page, { password: PASSWORD })
  await dialogGone(page)
  await page.waitForSelector('tr:has-text("Grace"):has-text("Owner")')
  expect((await ask('GET', '/api/team')).body.role).toBe('admin')
  // An admin does not change an owner, nor themselves.
  expect(await page.locator('main [aria-haspopup=menu]').count()).toBe(0)
  expect(complaints).toEqual([])
})

test('people: each role sees what it may do', { tags: ['full'] }, async () => {
  const { api, origin } = visit
  const team = await wholeTeam(api)
  for (const [role, parts, menus] of [
    ['admin', ['People', 'Invitations', 'Tokens', 'Audit log', 'Settings'], 2],
    ['member', ['People', 'Tokens', 'Settings'], 0],
    ['viewer', ['People', 'Tokens', 'Settings'], 0],
  ] as const) {
    const page = await newPage(visit)
    await page.context().addCookies([{ name: 'analytics_session', value: team[role].secret, url: origin }])
    await openWhole(page, `${origin}/team`)
    await page.locator('main tbody tr').nth(3).waitFor()
    expect(await partsOf(page)).toEqual(parts)
    expect(await page.locator('main [aria-haspopup=menu]').count(), role).toBe(menus)
    await openWhole(page, `${origin}/team/tokens`)
    await page.waitForSelector('text=No token yet')
    expect(await page.locator('text=New token').count()).toBe(role === 'viewer' ? 0 : 1)
    await openWhole(page, `${origin}/team/settings`)
    await page.waitForSelector('text=Leave the team')
    expect(await page.locator('text=Delete the team').count()).toBe(0)
    expect(await page.locator('main form').count()).toBe(role === 'admin' ? 1 : 0)
    await openWhole(page, `${origin}/team/log`)
    await page.waitForSelector(role === 'admin' ? 'text=Audit log' : 'text=This page does not exist')
  }
})

test('invitations: the link is shown once, renewed and revoked', { tags: ['full'] }, async () => {
  const { origin } = visit
  const { page, ask, email: own, complaints } = await signedInPage(visit)
  await openWhole(page, `${origin}/team/invitations`)
  await page.waitForSelector('text=No open invitation')
  await page.click('main >> text=Invite')
  await fillDialog(page, { email: own })
  await page.waitForSelector('[name=email][aria-invalid]:focus')
  const email = `${randomUUID()}@example.com`
  await page.selectOption('[role=dialog] select', 'viewer')
  await fillDialog(page, { email })
  await page.waitForSelector(`text=No mail was sent: give this link to ${email} yourself.`)
  const link = (await page.textContent('[role=dialog] pre'))!
  const works = async (url: string) =>
    (await ask('POST', '/api/invitations/look-up', { secret: url.split('#')[1] })).body.email === email
  expect(link.startsWith(`${origin}/invite#`)).toBe(true)
  expect(await works(link)).toBe(true)
  await page.keyboard.press('Escape')
  await dialogGone(page)
  expect(await page.textContent('main')).not.toContain(link)

  await choose(page, email, 'New link')
  await page.waitForSelector('[role=dialog] pre')
  const renewed = (await page.textContent('[role=dialog] pre'))!
  expect([await works(link), await works(renewed)]).toEqual([false, true])
  await page.keyboard.press('Escape')
  await choose(page, email, 'Revoke')
  await fillDialog(page)
  await page.waitForSelector('text=No open invitation')
  expect(await works(renewed)).toBe(false)
  expect(complaints).toEqual([])
})

test('tokens: one is made for what it may do, renamed, and revoked with those that were made through it', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { page, ask, complaints } = await signedInPage(visit)
  await openWhole(page, `${origin}/team/tokens`)
  await page.click('text=New token')
  await page.click('[role=dialog] >> text=Change')
  await expectFit(page)
  await page.selectOption('[role=dialog] [name=days]', '30')
  await fillDialog(page, { name: 'Export' })
  await page.waitForSelector('text=it is not shown again')
  const token = (await page.textContent('[role=dialog] pre'))!
  const [listed] = (await ask('GET', '/api/tokens')).body
  expect(listed).toMatchObject({ name: 'Export', scopes: ['read', 'write'], site_ids: null })
  const days = (Date.parse(listed.expires_at) - Date.parse(listed.created_at)) / 86_400_000
  expect(Math.round(days)).toBe(30)
  const child = await api.call('POST', '/api/tokens', { token, body: { name: 'Child' } })
  expect(child.status).toBe(201)
  await page.keyboard.press('Escape')
  await dialogGone(page)
  await choose(page, 'Export', 'Rename')
  await fillDialog(page, { name: 'Nightly export' })
  await page.waitForSelector('td:has-text("Nightly export")')
  await choose(page, 'Nightly export', 'Revoke')
  await page.waitForSelector('[role=dialog] input[type=checkbox]:checked')
  await fillDialog(page)
  await page.waitForSelector('text=No token yet')
  expect((await api.call('GET', '/api/sites', { token })).status).toBe(401)
  expect((await ask('GET', '/api/tokens')).body).toEqual([])
  await page.click('text=New token')
  await page.click('[role=dialog] >> text=Read')
  await fillDialog(page, { name: 'Nothing' })
  await page.waitForSelector('[role=dialog] [role=alert]')
  expect(complaints).toEqual([])
})

test('audit log: it is filtered by action and person, in the address, a page at a time', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { page, teamId, ask, userId } = await signedInPage(visit)
  await Promise.all(
    Array.from({ length: 52 }, (_, number) =>
      createUser(api.services.db, { teamId, email: `${number}@example.com`, role: 'viewer' }),
    ),
  )
  const users = (await ask('GET', '/api/users')).body.slice(1) as { id: string }[]
  for (const { id } of users) await ask('DELETE', `/api/users/${id}`)
  await openWhole(page, `${origin}/team/log`)
  await page.waitForSelector('text=Page 1 of 2')
  await page.click('text=Next')
  await page.waitForURL('**/team/log?page=2')
  await page.waitForSelector('td:has-text("Set the login up")')
  await page.selectOption('select >> nth=0', 'user.remove')
  await page.waitForURL('**/team/log?action=user.remove')
  await page.waitForSelector('text=52 rows')
  expect(await page.locator('tbody tr').count()).toBe(50)
  await page.selectOption('select >> nth=1', userId)
  await page.waitForURL(`**/team/log?action=user.remove&user=${userId}`)
  await page.goBack()
  await page.goBack()
  await page.waitForURL('**/team/log?page=2')
  await openWhole(page, `${origin}/team/log?action=site.delete`)
  await page.waitForSelector('text=No such entry')
})

test('settings: the team is renamed, another one made and chosen, and one deleted with its name', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { page, teamId, ask } = await signedInPage(visit)
  await openWhole(page, `${origin}/team/settings`)
  await fill(page, { name: 'Acme & Sons' })
  await page.waitForSelector('h1:has-text("Acme & Sons")')
  expect((await actionsOf(api, teamId)).at(-1)!.action).toBe('team.rename')
  await page.click('main button:has-text("New team")')
  await fillDialog(page, { name: 'Second' })
  await page.waitForSelector('h1:has-text("Second")')
  await page.click('header >> [aria-haspopup=menu]:has-text("Second")')
  await page.click('[role=menuitem]:has-text("Acme & Sons")')
  await page.waitForSelector('h1:has-text("Acme & Sons")')
  await page.reload()
  await page.waitForSelector('h1:has-text("Acme & Sons")')
  await openWhole(page, `${origin}/team/settings`)
  await page.click('text=Delete the team')
  await fillDialog(page, { name: 'Acme', password: PASSWORD })
  await page.waitForSelector('[name=name][aria-invalid]:focus')
  await fillDialog(page, { name: 'Acme & Sons', password: PASSWORD })
  await page.waitForURL(`${origin}/`)
  const teams = (await ask('GET', '/api/teams')).body
  expect(teams.map(({ name }: { name: string }) => name)).toEqual(['Second'])
})

test('a person without a team makes one', { tags: ['full'] }, async () => {
  const { api, origin } = visit
  const { page, teamId, ask, userId } = await signedInPage(visit)
  await createTeam(api.services.db, { name: 'Other', plan: 'active' }, new Date())
  await createUser(api.services.db, { teamId, email: 'another@example.com', role: 'owner' })
  await api.services.db`delete from users where id = ${userId}`
  await openWhole(page, `${origin}/team`)
  await page.waitForSelector('text=You belong to no team')
  await page.click('text=New team')
  await fillDialog(page, { name: 'Mine' })
  await page.waitForSelector('h1:has-text("Mine")')
  expect((await ask('GET', '/api/teams')).body).toHaveLength(1)
})
