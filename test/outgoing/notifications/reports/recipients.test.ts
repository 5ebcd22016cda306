import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { forgetReports } from '../../../../src/outgoing/notifications/reports/deliveries/send-reports.ts'
import { ofFile } from '../../../support/of-file.ts'
import { sweep } from '../../../support/runs.ts'
import { actionsOf, teammate } from '../../../support/teammates.ts'
import { addRecipient, listed, newSite, ownSite, startWorld } from './world.ts'

const START = '2026-10-20T12:00:00Z'

const world = ofFile(() => startWorld(START))
const { owner, site } = ownSite(world, START)

const foreign = () => `${randomUUID()}@example.org`
const post = (path: string, body: object) => world.api.call('POST', path, { body })

/** The token of the link in the newest mail. */
const tokenIn = (purpose: string) =>
  new RegExp(`/mail/${purpose}/(\\S+)`).exec(world.server.mails.at(-1)!.text!)![1]!
/** By the link in the newest mail. */
const unsubscribe = () => post('/api/reports/unsubscribe', { token: tokenIn('unsubscribe') })
const add = (fields: object, to = site) =>
  owner.ask('POST', `${to.path}/reports`, { address: foreign(), frequencies: ['daily'], ...fields })
const remove = (id: string) => owner.ask('DELETE', `${site.path}/reports/${id}`)

test('reports: a proven address of the team needs no question; what is left out has its default', async () => {
  const made = await addRecipient(owner, site, { frequencies: ['monthly', 'daily'] })
  expect(made).toEqual({
    ...{ id: expect.any(String), address: owner.email, frequencies: ['daily', 'monthly'], hour: 8 },
    ...{ language: 'en', sections: ['sources', 'pages', 'locations', 'goals'], skips_empty: false },
    ...{ state: 'confirmed', is_user: true, asked_at: null, last_sent: null, problem: null },
    ...{ created_by: owner.email, created_at: '2026-10-20T12:00:00.000Z' },
  })
  expect(await world.mailsAt('2026-10-20T12:00:10Z')).toBe(0)
  expect(await listed(owner, site)).toEqual([made])
})

test('reports: any other address gets one mail that asks, and reports only after its owner has agreed', async () => {
  const address = foreign()
  const { id, state } = await addRecipient(owner, site, { address, language: 'de' })
  expect(state).toBe('waiting')
  await world.run('2026-10-20T12:00:10Z')
  expect(await world.mailsAt('2026-10-21T08:00:10Z')).toBe(1)
  expect(world.server.mails[0]).toMatchObject({
    ...{ recipients: [address], subject: `Möchten Sie Mails über ${site.domain}?` },
    text: expect.stringContaining(owner.email),
  })
  const token = tokenIn('confirm')

  // Scanners of mails open links.
  const page = await fetch(`${world.api.url}/mail/confirm/${token}`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect((await post('/api/reports/look-up', { purpose: 'confirm', token })).body).toMatchObject({
    ...{ address, domain: site.domain, state: 'waiting', language: 'de' },
  })
  for (let time = 0; time < 2; time++) {
    const { status, body } = await post('/api/reports/confirm', { token })
    expect([status, body.state]).toEqual([200, 'confirmed'])
  }
  expect(await world.mailsAt('2026-10-21T08:00:20Z')).toBe(1)
  expect(await world.mailsAt('2026-10-22T08:00:00Z')).toBe(2)
  const confirmed = { id, state: 'confirmed', asked_at: '2026-10-20T12:00:00.000Z' }
  expect((await listed(owner, site))[0]).toMatchObject(confirmed)
  const log = await actionsOf(world.api, owner.teamId)
  const details = { address, domain: site.domain }
  expect(log.filter(({ action }) => action.startsWith('report.'))).toEqual([
    { action: 'report.add', actor: owner.email, details: { ...details, frequencies: ['daily'] } },
    { action: 'report.confirm', actor: address, details },
  ])
})

test('reports: a question that the mail server does not take is asked again later', async () => {
  await addRecipient(owner, site, { address: foreign() })
  world.refusal.code = 421
  await world.run('2026-10-20T12:00:10Z')
  expect((await listed(owner, site))[0].problem).toMatchObject({ kind: 'confirmation', code: 'refused' })
  world.refusal.code = undefined
  for (const at of ['2026-10-20T12:01:10Z', '2026-10-20T12:09:00Z']) expect(await world.mailsAt(at)).toBe(1)
})

test('reports: an address that was not proven, or whose login is disabled, is asked like any other', async () => {
  const unproven = await teammate(world.api, { teamId: owner.teamId, role: 'member' })
  const disabled = await world.person({ teamId: owner.teamId, role: 'member' })
  await world.api.services.db`update logins set disabled_at = now() where id = ${disabled.loginId}`
  for (const { email: address } of [unproven, disabled]) {
    const asked = { state: 'waiting', is_user: true }
    expect(await addRecipient(owner, site, { address })).toMatchObject(asked)
  }
})

test('reports: an address that was removed is not asked a second time within 30 days', async () => {
  const address = foreign()
  const first = await addRecipient(owner, site, { address })
  await world.run('2026-10-20T12:00:10Z')
  const token = tokenIn('confirm')
  expect((await remove(first.id)).status).toBe(204)
  expect((await post('/api/reports/confirm', { token })).status).toBe(404)
  expect(await listed(owner, site)).toEqual([])
  const again = await addRecipient(owner, site, { address })
  expect(await world.mailsAt('2026-10-21T12:00:00Z')).toBe(1)
  // The link in the first mail works.
  expect((await post('/api/reports/confirm', { token })).body.state).toBe('confirmed')
  expect(again.id).toBe(first.id)
})

test('reports: unsubscribing needs no login and one request; then the address has to agree again, member or not', async () => {
  await addRecipient(owner, site)
  await world.run('2026-10-21T08:00:00Z')
  const url = `${world.api.url}/mail/unsubscribe/${tokenIn('unsubscribe')}`
  // Opening the link shows a page and does nothing.
  for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(200)
  expect((await listed(owner, site))[0].state).toBe('confirmed')
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  for (let time = 0; time < 2; time++) expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  expect((await listed(owner, site))[0].state).toBe('unsubscribed')
  expect(await world.mailsAt('2026-10-22T08:00:00Z')).toBe(1)
  expect((await addRecipient(owner, site)).state).toBe('waiting')
  expect(await world.mailsAt('2026-10-22T08:01:00Z')).toBe(2)
  const token = tokenIn('confirm')
  expect(await world.mailsAt('2026-10-23T08:00:00Z')).toBe(2)
  expect((await post('/api/reports/confirm', { token })).status).toBe(200)
  expect(await world.mailsAt('2026-10-24T08:00:00Z')).toBe(3)
  const ended = (await unsubscribe()).body
  expect(ended).toMatchObject({ address: owner.email, domain: site.domain, state: 'unsubscribed' })
  expect((await post('/api/reports/confirm', { token })).status).toBe(403)
})

const FORGOTTEN: Record<string, (id: string) => Promise<unknown>> = {
  'removed and added twice': async id => {
    await remove(id)
    await remove((await addRecipient(owner, site)).id)
  },
  forgotten: async id => {
    await remove(id)
    await forgetReports(world.api.services.db, new Date('2026-12-31T12:00:00Z'))
  },
  'deleted with the site': async () => {
    await owner.ask('DELETE', site.path)
    Object.assign(site, await newSite(world, owner))
  },
}
test.each(sweep(Object.keys(FORGOTTEN)))(
  'reports: an address that has unsubscribed is asked again, even a proven one, after it was %s',
  async how => {
    const { id } = await addRecipient(owner, site)
    await world.run('2026-10-21T08:00:00Z')
    await unsubscribe()
    await FORGOTTEN[how]!(id)
    expect((await addRecipient(owner, site)).state).toBe('waiting')
    await world.run('2026-10-21T08:01:00Z')
    expect(world.server.mails.at(-1)!.subject).toBe(`Do you want mails about ${site.domain}?`)
    await post('/api/reports/confirm', { token: tokenIn('confirm') })
    expect((await listed(owner, site))[0].state).toBe('confirmed')
  },
)

test('reports: who unsubscribes from a site that was deleted is asked before another one sends reports', async () => {
  await addRecipient(owner, site)
  await world.run('2026-10-21T08:00:00Z')
  await owner.ask('DELETE', site.path)
  const { status, body } = await unsubscribe()
  expect([status, body.state]).toEqual([200, 'unsubscribed'])
  expect((await addRecipient(owner, await newSite(world, owner))).state).toBe('waiting')
})

test('reports: links are signed, and one purpose is not the other', async () => {
  const { id } = await addRecipient(owner, site)
  await world.run('2026-10-21T08:00:00Z')
  const token = tokenIn('unsubscribe')
  const changed = [`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, token.replace(id, randomUUID())]
  for (const wrong of [...changed, `${id}.`, id, `${token}.x`, '%00', 'x'.repeat(1_000)]) {
    const url = `${world.api.url}/mail/unsubscribe/${encodeURIComponent(wrong)}`
    const statuses = [
      (await post('/api/reports/unsubscribe', { token: wrong })).status,
      (await post('/api/reports/look-up', { purpose: 'unsubscribe', token: wrong })).status,
      (await fetch(url, { method: 'POST' })).status,
    ]
    expect([wrong, ...statuses]).toEqual([wrong, 404, 404, 404])
  }
  expect((await post('/api/reports/confirm', { token })).status).toBe(404)
  expect((await listed(owner, site))[0].state).toBe('confirmed')
})

test('reports: what is no address, frequency, hour, language, section or choice is refused', async () => {
  for (const [fields, field] of [
    [{ address: 'a@example.com, b@example.com' }, 'address'],
    [{ address: 'Ada <ada@example.com>' }, 'address'],
    [{ address: 'ada@example.com\u202e' }, 'address'],
    [{ address: 'ada' }, 'address'],
    [{ frequencies: [] }, 'frequencies'],
    [{ frequencies: ['hourly'] }, 'frequencies.0'],
    [{ hour: 24 }, 'hour'],
    [{ hour: 8.5 }, 'hour'],
    [{ language: 'fr' }, 'language'],
    [{ sections: ['people'] }, 'sections.0'],
    [{ skips_empty: 'no' }, 'skips_empty'],
  ] as const) {
    const { status, body } = await add(fields)
    expect([fields, status, Object.keys(body.errors)]).toEqual([fields, 422, [field]])
  }
})

test('reports: an address is a recipient of a site once, in any case, and only where there is a mail server', async () => {
  await addRecipient(owner, site)
  const { body } = await add({ address: owner.email.toUpperCase(), frequencies: ['weekly'] })
  expect(body.errors).toEqual({ address: ['is a recipient of this site already'] })
  world.api.services.config.mail = undefined
  const refused = await add({})
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('SMTP_URL')])
})

test('reports: a site, a team and an address have limits', async () => {
  const { db } = world.api.services
  const fill = (count: number, siteNo: number, options: { asked?: boolean; address?: string } = {}) => db`
    insert into mail_recipients
      (site_no, address, language, hour, daily_since, sections, skips_empty, asked_at, created_at)
    select
      ${siteNo}, coalesce(${options.address ?? null}, gen_random_uuid()::text || '@example.org'), 'en', 8, now(), '{}', false,
      case when ${options.asked ?? false} then ${world.clock.now}::timestamptz end, now()
    from generate_series(1, ${count})`
  await fill(20, site.siteNo)
  const full = await add({})
  expect([full.status, full.body.message]).toEqual([403, expect.stringContaining('20 recipients')])

  const others = await Promise.all([1, 2, 3].map(() => newSite(world, owner)))
  const last = others[2]!
  for (const [index, count] of [19, 19, 11].entries())
    await fill(count, others[index]!.siteNo, { asked: true })
  expect((await add({}, last)).status).toBe(201)
  const asked = await add({}, last)
  expect([asked.status, asked.headers.get('retry-after')]).toEqual([429, '86400'])
  // A proven address is not asked.
  expect((await add({ address: owner.email }, last)).status).toBe(201)
  world.clock.now = new Date('2026-10-21T12:00:01Z')
  expect((await add({}, last)).status).toBe(201)

  const victim = foreign()
  const stranger = await world.person()
  for (let time = 0; time < 3; time++) {
    const { siteNo } = await newSite(world, stranger)
    await fill(1, siteNo, { asked: true, address: victim })
  }
  expect((await add({ address: victim }, last)).status).toBe(429)

  for (let time = 0; time < 7; time++) await fill(20, (await newSite(world, owner)).siteNo)
  const whole = await add({ address: owner.email.replace('@', '+2@') }, last)
  expect([whole.status, whole.body.message]).toEqual([403, expect.stringContaining('200 recipients')])
})

test('reports: admins change recipients', async () => {
  const { id } = await addRecipient(owner, site)
  const admin = await world.person({ teamId: owner.teamId, role: 'admin' })
  const changed = await admin.ask('PATCH', `${site.path}/reports/${id}`, { hour: 9, language: 'de' })
  expect(changed.body).toMatchObject({ hour: 9, language: 'de', frequencies: ['daily'] })
})

test('reports: a test is sent at once, marked, once in ten minutes, to who has agreed, and is no report', async () => {
  const { id } = await addRecipient(owner, site, { frequencies: ['weekly'] })
  const send = (body: object = {}) => owner.ask('POST', `${site.path}/reports/${id}/test`, body)
  expect((await send()).status).toBe(204)
  expect(world.server.mails.map(({ subject }) => subject!.replace(/\u2009/g, ''))).toEqual([
    `Test: ${site.domain}: no visits (12–18 October 2026)`,
  ])
  const again = await send()
  expect([again.status, again.headers.get('retry-after')]).toEqual([429, '600'])
  world.clock.now = new Date('2026-10-20T12:10:00Z')
  world.refusal.code = 450
  expect((await send({ frequency: 'daily' })).status).toBe(503)
  expect((await send({ frequency: 'hourly' })).status).toBe(422)
  expect((await listed(owner, site))[0].last_sent).toBeNull()
  const stranger = await addRecipient(owner, site, { address: foreign() })
  expect((await owner.ask('POST', `${site.path}/reports/${stranger.id}/test`, {})).status).toBe(403)
  expect(world.server.mails).toHaveLength(1)
})
