// @module-tag full
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { linkTo } from '../../../../src/outgoing/notifications/recipients/links.ts'
import { sendReports } from '../../../../src/outgoing/notifications/reports/deliveries/send-reports.ts'
import { ofFile } from '../../../support/of-file.ts'
import { startAlertWorld } from './world.ts'

const MINUTE = 60_000

const world = ofFile(startAlertWorld)

const condition = { kind: 'no_hits', hours: 1 }

const mailsTo = (address: string) => world.mails.mails.filter(({ recipients }) => recipients[0] === address)

/** The token of the link in the newest mail, or in the newest to an address. */
const token = (purpose: string, address?: string) => {
  const mails = address === undefined ? world.mails.mails : mailsTo(address)
  const link = new RegExp(`/mail/${purpose}/(\\S+)`).exec(mails.at(-1)!.text!)
  return { token: link![1]! }
}

test('alerts: an address gets mails only after its owner has agreed, and none after they have unsubscribed', async () => {
  const { site, alert } = await world.siteWithHits()
  const address = `${randomUUID()}@example.org`
  const made = await alert('Silence', condition, { emails: [address.toUpperCase()], language: 'de' })
  expect(made.recipients).toEqual([{ address, state: 'waiting' }])
  const path = `${site.id}/alerts/${made.id}`
  const send = () => world.call('POST', `${path}/test`)
  expect((await send()).status).toBe(403)
  await sendReports(world.api.services, world.now())
  expect(mailsTo(address).map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Möchten Sie Mails über/),
  ])
  await world.api.call('POST', '/api/reports/confirm', { body: token('confirm') })
  expect((await world.call('GET', `${site.id}/alerts`)).body[0].recipients[0].state).toBe('confirmed')
  expect((await send()).status).toBe(204)
  const again = await send()
  expect([again.status, again.headers.get('retry-after')]).toEqual([429, '600'])
  await world.run()
  expect(mailsTo(address).at(-1)!.text).toContain('Dies ist ein Test.')
  // A mail that waits is not sent when they unsubscribe meanwhile.
  world.clock.at += 10 * MINUTE
  expect((await send()).status).toBe(204)
  await world.api.call('POST', '/api/reports/unsubscribe', { body: token('unsubscribe') })
  await world.run()
  expect(mailsTo(address)).toHaveLength(2)
  expect((await world.call('GET', `${site.id}/alerts`)).body[0].recipients[0].state).toBe('unsubscribed')
  // Saved with the same addresses, it asks nothing; the address that is named anew is asked once a month.
  await world.call('PATCH', path, { emails: [address] })
  expect((await world.call('GET', `${site.id}/alerts`)).body[0].recipients[0].state).toBe('unsubscribed')
  await world.call('PATCH', path, { emails: [] })
  const { body } = await world.call('PATCH', path, { emails: [address] })
  expect(body.recipients[0].state).toBe('waiting')
})

test('alerts: an address that reports go to needs no second question, and stays when either ends', async () => {
  const { site, alert, agree } = await world.siteWithHits()
  const address = `${randomUUID()}@example.org`
  const reports = `${site.id}/reports`
  const recipient = (await world.call('POST', reports, { address, frequencies: ['daily'] })).body
  await agree()
  const made = await alert('Silence', condition, { emails: [address] })
  expect(made.recipients).toEqual([{ address, state: 'confirmed' }])
  expect((await world.call('DELETE', `${reports}/${recipient.id}`)).status).toBe(204)
  expect((await world.call('GET', reports)).body.recipients).toEqual([])
  expect((await world.call('PATCH', `${reports}/${recipient.id}`, { hour: 9 })).status).toBe(404)
  expect((await world.call('GET', `${site.id}/alerts`)).body[0].recipients[0].state).toBe('confirmed')
  const again = (await world.call('POST', reports, { address, frequencies: ['weekly'] })).body
  expect(again).toMatchObject({ id: recipient.id, state: 'confirmed' })
  await world.call('DELETE', `${site.id}/alerts/${made.id}`)
  expect((await world.call('GET', reports)).body.recipients).toHaveLength(1)
  await world.call('DELETE', `${reports}/${recipient.id}`)
  const rows = await world.db`select removed_at from mail_recipients where site_no = ${site.siteNo}`
  expect(rows.map(({ removed_at }) => removed_at)).toEqual([expect.any(Date)])
})

test('alerts: a site has as many recipients as for reports', async () => {
  const { site, alert } = await world.siteWithHits()
  const some = () => Array.from({ length: 10 }, () => `${randomUUID()}@example.org`)
  await alert('One', condition, { emails: some() })
  await alert('Two', condition, { emails: some() })
  const create = (emails: string[]) =>
    world.call('POST', `${site.id}/alerts`, { name: 'Three', condition, emails })
  // Other addresses may take the place of those that go.
  const [one] = (await world.call('GET', `${site.id}/alerts`)).body
  expect((await world.call('PATCH', `${site.id}/alerts/${one.id}`, { emails: some() })).status).toBe(200)
  const full = await create(['late@example.org'])
  expect([full.status, full.body.message]).toEqual([403, expect.stringContaining('20 recipients')])
})

test('alerts: who has unsubscribed from another site keeps what they get of this one, and is asked when it was ended', async () => {
  const [here, other] = [await world.siteWithHits(), await world.siteWithHits()]
  const address = `${randomUUID()}@example.org`
  const asked = () => mailsTo(address).length
  const confirm = async () => {
    await sendReports(world.api.services, world.now())
    await world.api.call('POST', '/api/reports/confirm', { body: token('confirm', address) })
    world.clock.at += MINUTE
  }
  const made = await here.alert('Silence', condition, { emails: [address] })
  await confirm()
  await other.alert('Silence', condition, { emails: [address] })
  await confirm()
  const [there] = await world.db`select id from mail_recipients where site_no = ${other.site.siteNo}`
  const link = linkTo(world.api.services.config, 'unsubscribe', there!.id)
  await world.api.call('POST', '/api/reports/unsubscribe', { body: { token: link.split('/').at(-1) } })
  world.clock.at += MINUTE
  const reports = `${here.site.id}/reports`
  const add = async () => (await world.call('POST', reports, { address, frequencies: ['daily'] })).body
  const { id, state } = await add()
  expect([state, asked()]).toEqual(['confirmed', 2])
  await world.call('DELETE', `${here.site.id}/alerts/${made.id}`)
  await world.call('DELETE', `${reports}/${id}`)
  expect((await add()).state).toBe('waiting')
  await confirm()
  expect((await world.call('GET', reports)).body.recipients[0].state).toBe('confirmed')
  expect(asked()).toBe(3)
})

test('alerts: switching an alert on asks the addresses that were never asked, such as those of an archive', async () => {
  const { site, alert } = await world.siteWithHits()
  const address = `${randomUUID()}@example.org`
  const { id } = await alert('Silence', condition, { emails: [address] })
  await world.db`update alert_rules set is_enabled = false where id = ${id}`
  await world.db`delete from mail_recipients where site_no = ${site.siteNo}`
  const [listed] = (await world.call('GET', `${site.id}/alerts`)).body
  expect(listed.recipients).toEqual([{ address, state: 'not_asked' }])
  const changes = { is_enabled: true, language: 'de' }
  const { body } = await world.call('PATCH', `${site.id}/alerts/${id}`, changes)
  expect(body.recipients).toEqual([{ address, state: 'waiting' }])
  await sendReports(world.api.services, world.now())
  expect(mailsTo(address).map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Möchten Sie Mails über/),
  ])
})
