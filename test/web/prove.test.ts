import { beforeEach, expect, test } from 'vitest'
import { newAddress } from '../support/invitations.ts'
import { PASSWORD } from '../support/log-in.ts'
import { startMailServer } from '../support/mail-server.ts'
import { ofFile } from '../support/of-file.ts'
import { expectFit } from './audit-page.ts'
import { fillDialog, signedInPage } from './signed-in-page.ts'
import { fill, newPage, openWhole, sendForm, setConfig, startVisit } from './visit.ts'

let at = new Date()
const visit = ofFile(() => startVisit({ now: () => at }))
beforeEach(() => {
  at = new Date()
})

const DIALOG = '[role=dialog]:has(h2:has-text("Confirm that it is you"))'

test('prove: a token after 12 hours asks for the password in a dialog, and is then made of what was typed', async () => {
  const { page, ask, complaints } = await signedInPage(visit)
  await openWhole(page, `${visit.origin}/team/tokens`)
  at = new Date(at.getTime() + 13 * 3_600_000)
  const newToken = async (name: string) => {
    await page.click('text=New token')
    await fillDialog(page, { name })
    await page.waitForSelector(`${DIALOG} [name=password]`)
  }
  const names = async () => (await ask('GET', '/api/tokens')).body.map(({ name }: { name: string }) => name)

  await newToken('Nightly export')
  await expectFit(page)
  await sendForm(page.locator(`${DIALOG} form`), { password: 'wrong password' })
  await page.waitForSelector(`${DIALOG} [role=alert]`)
  expect(await page.textContent(`${DIALOG} [role=alert]`)).toBe('The password or the code is wrong.')
  // Closed, it says why nothing was made; what was typed is still there.
  await page.click(`${DIALOG} [aria-label=Close]`)
  await page.waitForSelector(DIALOG, { state: 'detached' })
  expect(await page.textContent('[role=dialog] form [role=alert]')).toContain('more than 12 hours ago')
  expect(await page.inputValue('[role=dialog] [name=name]')).toBe('Nightly export')
  expect(await names()).toEqual([])

  await fillDialog(page)
  await sendForm(page.locator(`${DIALOG} form`), { password: PASSWORD })
  await page.waitForSelector(DIALOG, { state: 'detached' })
  await page.waitForSelector('[role=dialog] >> text=wa_')
  expect(await names()).toEqual(['Nightly export'])
  expect(complaints).toEqual([])
})

test('prove: with single sign-on a new tab signs in, and the dialog goes on when the person comes back', {
  tags: ['full'],
}, async () => {
  const { page, ask, loginId } = await signedInPage(visit)
  setConfig(visit, { oidc: { name: 'Company account' }, hasPasswords: false })
  await openWhole(page, `${visit.origin}/team/tokens`)
  at = new Date(at.getTime() + 13 * 3_600_000)
  await page.click('text=New token')
  await fillDialog(page, { name: 'Export' })
  const link = page.locator(`${DIALOG} a`)
  // Which ways there are comes a moment after the dialog.
  await page.waitForSelector(`${DIALOG} >> text=Sign in again with Company account, in a new tab`)
  const address = new URL((await link.getAttribute('href'))!)
  expect(Object.fromEntries(address.searchParams)).toEqual({ return_to: '/login#proven', again: 'true' })
  expect(await page.locator(`${DIALOG} form`).count()).toBe(0)
  await openWhole(await page.context().newPage(), `${visit.origin}/login#proven`)
  await page.context().pages()[1]!.waitForSelector('text=Close this tab')
  await visit.api.services
    .db`update browser_sessions set authenticated_at = ${at} where login_id = ${loginId}`
  await page.bringToFront()
  await page.evaluate('dispatchEvent(new Event("focus"))')
  await page.waitForSelector(DIALOG, { state: 'detached' })
  await page.waitForSelector('[role=dialog] >> text=wa_')
  expect((await ask('GET', '/api/tokens')).body).toMatchObject([{ name: 'Export' }])
})

test('new address: it waits on the profile, can be taken back, and counts after its link', async () => {
  const server = await startMailServer()
  const { page, email: before, ask, complaints } = await signedInPage(visit)
  setConfig(visit, { mail: server.mail })
  const move = async () => {
    const email = newAddress()
    await openWhole(page, `${visit.origin}/account`)
    await sendForm(page.locator('main form'), { email, password: PASSWORD })
    await page.waitForSelector(`text=We mailed a link to ${email}`)
    const mail = server.mails.findLast(({ recipients }) => recipients.includes(email))!
    return { email, link: /http\S+\/confirm-address#[\w-]+/.exec(mail.text!)![0] }
  }
  await move()
  await page.click('text=Keep the present address')
  await page.waitForSelector('text=We mailed a link', { state: 'detached' })
  const { email, link } = await move()
  expect((await ask('GET', '/api/account')).body).toMatchObject({ email: before, pending_email: email })

  const elsewhere = await newPage(visit)
  await openWhole(elsewhere, link)
  await elsewhere.waitForSelector(`text=Afterwards you sign in with ${email}`)
  expect((await ask('GET', '/api/account')).body.email).toBe(before)
  await expectFit(elsewhere)
  await elsewhere.click('text=Confirm >> nth=-1')
  await elsewhere.waitForSelector(`text=${email} is the address of your login now`)
  expect((await ask('GET', '/api/account')).body).toMatchObject({ email, pending_email: null })
  await openWhole(elsewhere, `${visit.origin}/login`)
  await fill(elsewhere, { email, password: PASSWORD })
  await elsewhere.waitForURL(url => url.pathname === '/')
  expect(complaints).toEqual([])
  await server.close()
})
