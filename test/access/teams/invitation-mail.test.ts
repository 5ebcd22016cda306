import { afterEach, expect, test } from 'vitest'
import { startApi } from '../../support/api.ts'
import { acceptAsNew, invite, lookUp, newAddress, secretOf } from '../../support/invitations.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { ofFile } from '../../support/of-file.ts'
import { proveNow, teammate } from '../../support/teammates.ts'

let isFull = false
let now = new Date('2026-11-22T12:00:00Z')
const server = ofFile(() => startMailServer(() => (isFull ? new Error('full') : undefined)))
const api = ofFile(() => startApi({ now: () => now }))
afterEach(() => {
  isFull = false
  server.mails.length = 0
})

const withMail = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  api.services.config.mail = server.mail
  return run().finally(() => {
    api.services.config.mail = undefined
  })
}

test('invitation mail: the person gets the link, with the team and who invites', async () => {
  const owner = await teammate(api, { name: 'Ada <b>', at: now })
  // The API refuses such a name; what is stored already must not reach a header either.
  const name = 'Acme & Sons\r\nBcc: eve@example.com'
  await api.services.db`update teams set name = ${name} where id = ${owner.teamId}`
  const email = newAddress()
  const made = await withMail(() => invite(owner, { email }))
  expect(made.body.mailed).toBe(true)
  const [mail] = server.mails
  expect(mail!.recipients).toEqual([email])
  expect(mail!.subject).toMatch(
    /^Ada <b> invites you to the team Acme & Sons Bcc: eve@example\.com on 127\.0\.0\.1/,
  )
  expect(mail!.text).toContain(made.body.url)
  expect(mail!.html).toContain(`href="${made.body.url}"`)
  expect(mail!.html).toContain('Ada &lt;b&gt; invites you')
  expect((await acceptAsNew(api, secretOf(made))).status).toBe(200)
})

test('invitation mail: a resent invitation is mailed with its new link', async () => {
  const owner = await teammate(api, { at: now })
  const made = await invite(owner)
  const again = await withMail(() => owner.ask('POST', `/api/invitations/${made.body.id}/resend`))
  expect(again.body.mailed).toBe(true)
  expect(server.mails[0]!.text).toContain(again.body.url)
  expect(server.mails[0]!.text).not.toContain(secretOf(made))
})

test('invitation mail: when the mail server refuses it or is missing, the link is there to copy', async () => {
  const owner = await teammate(api, { at: now })
  isFull = true
  const made = await withMail(() => invite(owner))
  expect([made.status, made.body.mailed]).toEqual([201, false])
  expect((await lookUp(api, secretOf(made))).status).toBe(200)
  expect((await invite(owner)).body.mailed).toBe(false)
  expect(server.mails).toEqual([])
})

test('invitation mail: a team mails 50 a day; beyond that the link is there to copy', async () => {
  const owner = await teammate(api, { at: now })
  await api.services.db`
    update teams set mail_count = 49, mail_day = '2026-11-22' where id = ${owner.teamId}`
  const mailed = async () => (await withMail(() => invite(owner))).body.mailed
  expect([await mailed(), await mailed()]).toEqual([true, false])
  now = new Date('2026-11-23T00:00:00Z')
  expect(await mailed()).toBe(true)
  const other = await teammate(api, { at: now })
  expect((await withMail(() => invite(other))).body.mailed).toBe(true)
})

test('invitation mail: a login mails 100 a day in all its teams, also in one that it has just made', async () => {
  const owner = await teammate(api, { at: now })
  const { id } = (await owner.ask('POST', '/api/teams', { name: 'Another' })).body
  const inOther = () =>
    api.call('POST', '/api/invitations', {
      headers: { ...owner.headers, 'X-Team': id },
      body: { email: newAddress(), role: 'member' },
    })
  await api.services.db`
    update logins set mail_count = 99, mail_day = ${now.toISOString().slice(0, 10)} where id = ${owner.loginId}`
  expect((await withMail(() => invite(owner))).body.mailed).toBe(true)
  expect((await withMail(inOther)).body.mailed).toBe(false)
  now = new Date(now.getTime() + 86_400_000)
  await proveNow(api, owner)
  expect((await withMail(inOther)).body.mailed).toBe(true)
})
