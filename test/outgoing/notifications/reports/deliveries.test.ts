import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { setPlan } from '../../../../src/access/teams/accounts.ts'
import {
  beginHandOver,
  claimDelivery,
  claimOf,
} from '../../../../src/outgoing/notifications/reports/deliveries/report-delivery-rows.ts'
import {
  forgetReports,
  sendReports,
} from '../../../../src/outgoing/notifications/reports/deliveries/send-reports.ts'
import { ofFile } from '../../../support/of-file.ts'
import { addRecipient, listed, newSite, ownSite, startWorld } from './world.ts'

const START = '2026-10-20T12:00:00Z'

const world = ofFile(() => startWorld(START))
const { owner, site } = ownSite(world, START, 'Europe/Berlin')

/** What the mails are about; around a dash, dates have thin spaces. */
const subjects = () =>
  world.server.mails.map(({ subject }) =>
    subject!.replace(/^[0-9a-f-]+\.example: /, '').replace(/\u2009/g, ''),
  )

async function subjectsAt(at: string) {
  await world.run(at)
  return subjects()
}

test('reports: sites in two zones get their day at 8:00 by their own clocks, once, before and after the change of clocks', async () => {
  const sydney = await newSite(world, owner, 'Australia/Sydney')
  await addRecipient(owner, site)
  await addRecipient(owner, sydney)
  await site.hit('2026-10-24T21:59:00Z', randomUUID())
  await site.hit('2026-10-25T22:59:00Z', randomUUID())
  // The day on which clocks are set back begins at 22:00 UTC and has 25 hours.
  const runs: [at: string, mails: number][] = [
    ['2026-10-20T20:59:59Z', 0],
    ['2026-10-20T21:00:00Z', 1],
    ['2026-10-21T05:59:59Z', 1],
    ['2026-10-21T06:00:00Z', 2],
    ['2026-10-24T06:00:00Z', 4],
    ['2026-10-24T21:00:00Z', 5],
    ['2026-10-25T06:59:59Z', 5],
    ['2026-10-25T07:00:00Z', 6],
    ['2026-10-25T21:00:00Z', 7],
    ['2026-10-26T06:59:59Z', 7],
    ['2026-10-26T07:00:00Z', 8],
    ['2026-10-26T07:00:10Z', 8],
  ]
  for (const [at, mails] of runs) expect([at, await world.mailsAt(at)]).toEqual([at, mails])
  expect(subjects()).toEqual([
    ...['no visits (20 October 2026)', 'no visits (20 October 2026)'],
    ...['no visits (23 October 2026)', 'no visits (23 October 2026)'],
    ...['no visits (24 October 2026)', '1 visitor (24 October 2026)'],
    ...['no visits (25 October 2026)', '1 visitor (25 October 2026)'],
  ])
})

test('reports: each kind is sent on its day, and none for a period that was due before it was asked for', {
  tags: ['full'],
}, async () => {
  world.clock.now = new Date('2026-11-01T09:00:00Z')
  const frequencies = ['daily', 'weekly', 'monthly']
  const { id } = await addRecipient(owner, site, { frequencies, hour: 9, language: 'de' })
  expect(await subjectsAt('2026-11-01T09:00:10Z')).toEqual([])
  expect((await subjectsAt('2026-11-02T08:00:00Z')).sort()).toEqual([
    'keine Besuche (1. November 2026)',
    'keine Besuche (26. Oktober–1. November 2026)',
  ])
  world.server.mails.length = 0
  const changed = await owner.ask('PATCH', `${site.path}/reports/${id}`, { frequencies: ['monthly'] })
  expect(changed.status).toBe(200)
  expect(await subjectsAt('2026-12-01T08:00:00Z')).toEqual(['keine Besuche (1.–30. November 2026)'])
})

test('reports: an earlier hour sends at once what is due by now, and nothing twice', async () => {
  world.clock.now = new Date('2026-10-20T18:30:00Z')
  const { id } = await addRecipient(owner, site, { hour: 20 })
  expect(await subjectsAt('2026-10-21T08:00:00Z')).toEqual([])
  await owner.ask('PATCH', `${site.path}/reports/${id}`, { hour: 9 })
  await world.run('2026-10-21T08:00:10Z')
  await owner.ask('PATCH', `${site.path}/reports/${id}`, { hour: 20 })
  expect(await subjectsAt('2026-10-21T20:00:00Z')).toEqual(['no visits (20 October 2026)'])
})

test('reports: after an outage the newest period of each kind is sent late', { tags: ['full'] }, async () => {
  await addRecipient(owner, site, { frequencies: ['daily', 'weekly'] })
  await world.run('2026-10-29T12:00:00Z')
  expect((await subjectsAt('2026-10-29T12:00:10Z')).sort()).toEqual([
    'no visits (19–25 October 2026)',
    'no visits (28 October 2026)',
  ])
})

/** Lets the mail server refuse what is due. */
async function refuseAt(at: string, code = 451): Promise<void> {
  world.refusal.code = code
  await world.run(at)
  world.refusal.code = undefined
}

const problem = async () => (await listed(owner, site))[0].problem

/** Makes a daily report due. */
async function due(): Promise<void> {
  await addRecipient(owner, site)
  await refuseAt('2026-10-21T06:00:00Z')
  expect(world.server.mails).toEqual([])
}

const claim = (at: string, db: Parameters<typeof claimDelivery>[0] = world.api.services.db) =>
  claimDelivery(db, {
    now: new Date(at),
    until: new Date(Date.parse(at) + 120_000),
    tooFar: new Date(Date.parse(at) + 10_800_000),
  })

test('reports: a mail whose process has died or is slow after its claim is sent by another one, once', async () => {
  await due()
  const [claimed] = await claim('2026-10-21T06:10:00Z')
  expect(claimed).toMatchObject({ kind: 'daily', from: '2026-10-20' })
  expect(await world.mailsAt('2026-10-21T06:11:00Z')).toBe(0)
  for (const minute of [12, 13]) await world.run(`2026-10-21T06:${minute}:00Z`)
  expect(subjects()).toEqual(['no visits (20 October 2026)'])
  expect((await listed(owner, site))[0]).toMatchObject({
    problem: null,
    last_sent: { kind: 'daily', from: '2026-10-20', to: '2026-10-20', at: '2026-10-21T06:12:00.000Z' },
  })
  const now = new Date('2026-10-21T06:13:10Z')
  expect(await beginHandOver(world.api.services.db, { ...claimOf(claimed!), now, until: now })).toEqual([])
})

test('reports: a claim takes one mail, by whatever plan the database joins', async () => {
  for (let time = 0; time < 4; time++)
    await addRecipient(owner, site, { address: (await world.person({ teamId: owner.teamId })).email })
  world.refusal.code = 451
  await world.run('2026-10-21T06:00:00Z')
  const switchedOff = [[], ['enable_hashjoin', 'enable_mergejoin'], ['enable_nestloop', 'enable_indexscan']]
  for (const settings of switchedOff) {
    const claimed = await world.api.services.db.begin(async tx => {
      for (const setting of settings) await tx`select set_config(${setting}, 'off', true)`
      return claim('2026-10-21T06:10:00Z', tx)
    })
    expect(claimed).toHaveLength(1)
  }
  const states = await world.api.services
    .db`select state, count(*)::int from report_deliveries group by 1 order by 1`
  expect(states).toEqual([
    { state: 'claimed', count: 3 },
    { state: 'waiting', count: 1 },
  ])
})

test('reports: a mail whose process died during the hand-over is not sent again, and the list says so', async () => {
  await due()
  const [claimed] = await claim('2026-10-21T06:10:00Z')
  const now = new Date('2026-10-21T06:10:01Z')
  const until = new Date('2026-10-21T06:11:01Z')
  expect(await beginHandOver(world.api.services.db, { ...claimOf(claimed!), now, until })).toHaveLength(1)
  for (const at of ['2026-10-21T06:10:30Z', '2026-10-21T06:12:00Z', '2026-10-21T09:00:00Z'])
    expect(await world.mailsAt(at)).toBe(0)
  const [{ problem, last_sent }] = await listed(owner, site)
  expect(problem).toMatchObject({ kind: 'daily', from: '2026-10-20', code: 'uncertain', next_at: null })
  expect(last_sent).toBeNull()
  await world.run('2026-10-22T06:00:00Z')
  expect((await listed(owner, site))[0]).toMatchObject({ problem: null, last_sent: { from: '2026-10-21' } })
})

test('reports: two schedulers at once send each mail once', async () => {
  const others = await Promise.all([1, 2, 3].map(() => world.person({ teamId: owner.teamId })))
  for (const { email } of [owner, ...others]) await addRecipient(owner, site, { address: email })
  const now = new Date('2026-10-21T06:00:00Z')
  world.clock.now = now
  await Promise.all([sendReports(world.api.services, now), sendReports(world.api.services, now)])
  const addresses = world.server.mails.flatMap(({ recipients }) => recipients)
  expect(addresses.sort()).toEqual([owner, ...others].map(({ email }) => email).sort())
})

test('reports: while the mail server refuses, a mail is tried again with growing pauses, and given up after a day', {
  tags: ['full'],
}, async () => {
  await addRecipient(owner, site)
  world.refusal.code = 451
  await world.run('2026-10-21T06:00:00Z')
  const response = expect.stringMatching(/^451 not now,\s+please/)
  const next_at = '2026-10-21T06:01:00.000Z'
  expect(await problem()).toMatchObject({ code: 'refused', response, attempts: 1, next_at })
  await world.run('2026-10-21T06:01:00Z')
  await world.run('2026-10-21T06:05:59Z')
  expect(await problem()).toMatchObject({ attempts: 2, next_at: '2026-10-21T06:06:00.000Z' })
  await world.run('2026-10-22T05:00:00Z')
  expect(await problem()).toMatchObject({ attempts: 3, next_at: '2026-10-22T05:15:00.000Z' })
  await world.run('2026-10-22T05:59:59Z')
  expect(await problem()).toMatchObject({ attempts: 4, next_at: null })
  world.refusal.code = undefined
  expect(await world.mailsAt('2026-10-22T05:59:59Z')).toBe(0)
})

test('reports: an address that the mail server rejects for good is not tried again for this report', async () => {
  await addRecipient(owner, site)
  await refuseAt('2026-10-21T06:00:00Z', 550)
  expect(await world.mailsAt('2026-10-21T12:00:00Z')).toBe(0)
  expect(await problem()).toMatchObject({ code: 'rejected', attempts: 1, next_at: null })
  expect(await subjectsAt('2026-10-22T06:00:00Z')).toEqual(['no visits (21 October 2026)'])
})

test('reports: a mail server that cannot be reached is asked once a run, for whatever number of mails', async () => {
  await addRecipient(owner, site)
  await addRecipient(owner, await newSite(world, owner, 'Europe/Berlin'))
  world.api.services.config.mail = { ...world.server.mail, url: 'smtp://127.0.0.1:1' }
  expect(await world.run('2026-10-21T06:00:00Z')).toBe(false)
  const attempts = await world.api.services
    .db`select attempts, problem from report_deliveries order by attempts`
  expect(attempts.map(row => [row.attempts, row.problem])).toEqual([
    [0, null],
    [1, 'unreachable'],
  ])
})

test('reports: without a mail server nothing is planned, and what waits is given up', async () => {
  await due()
  world.api.services.config.mail = undefined
  await world.run('2026-10-22T06:00:00Z')
  const rows = await world.api.services.db`select state from report_deliveries`
  expect(rows.map(({ state }) => state)).toEqual(['given_up'])
  expect((await owner.ask('GET', `${site.path}/reports`)).body.sends_mail).toBe(false)
})

test('reports: a period without hits is left out where the recipient wants it so', async () => {
  await addRecipient(owner, site, { skips_empty: true })
  expect(await world.mailsAt('2026-10-21T06:00:00Z')).toBe(0)
  await site.hit('2026-10-21T12:00:00Z', randomUUID())
  expect(await subjectsAt('2026-10-22T06:00:00Z')).toEqual(['1 visitor (21 October 2026)'])
})

test('reports: nothing is sent for a team without an active plan, and the newest report when it has one again; nothing for a deleted site', {
  tags: ['full'],
}, async () => {
  await due()
  const { db, now } = world.api.services
  await setPlan(db, { teamId: owner.teamId, plan: 'lapsed' }, now())
  await world.run('2026-10-21T07:00:00Z')
  expect(await world.mailsAt('2026-10-22T07:00:00Z')).toBe(0)
  expect((await owner.ask('GET', `${site.path}/reports`)).body.is_paused).toBe(true)
  await setPlan(db, { teamId: owner.teamId, plan: 'active' }, now())
  expect(await subjectsAt('2026-10-22T07:01:00Z')).toEqual(['no visits (21 October 2026)'])
  // Of a deleted site, not even what waits is sent.
  await refuseAt('2026-10-23T06:00:00Z')
  await owner.ask('DELETE', site.path)
  expect(await world.mailsAt('2026-10-23T07:00:00Z')).toBe(1)
  expect(await world.mailsAt('2026-10-24T07:00:00Z')).toBe(1)
})

test('reports: what was planned is not sent when it is not wanted any more, though the address stays for an alert', async () => {
  const { id } = await addRecipient(owner, site)
  const alert = { name: 'Silence', condition: { kind: 'no_hits', hours: 1 }, emails: [owner.email] }
  expect((await owner.ask('POST', `${site.path}/alerts`, alert)).status).toBe(201)
  await refuseAt('2026-10-21T06:00:00Z')
  expect((await owner.ask('DELETE', `${site.path}/reports/${id}`)).status).toBe(204)
  expect(await world.mailsAt('2026-10-21T06:10:00Z')).toBe(0)
  const [left] = await world.api.services.db`select state from report_deliveries where recipient_id = ${id}`
  expect(left).toEqual({ state: 'skipped' })
})

test('reports: a member who is removed, or no more reaches the site, gets nothing', async () => {
  const { db } = world.api.services
  const [gone, limited, renamed] = await Promise.all(
    [1, 2, 3].map(() => world.person({ teamId: owner.teamId, role: 'member' })),
  )
  for (const person of [gone!, limited!, renamed!]) await addRecipient(owner, site, { address: person.email })
  expect((await owner.ask('DELETE', `/api/users/${gone!.userId}`)).status).toBe(204)
  await db`update users set site_ids = ${[randomUUID()]} where id = ${limited!.userId}`
  await db`update users set email = ${`${randomUUID()}@example.com`} where id = ${renamed!.userId}`
  expect(await world.mailsAt('2026-10-21T06:00:00Z')).toBe(0)
  const states = (await listed(owner, site)).map(({ state }: { state: string }) => state)
  expect(states).toEqual(['no_access', 'no_access'])
})

test('reports: removed addresses are forgotten after 30 days; unsubscribed ones stay in the list until they are removed', async () => {
  const { db } = world.api.services
  const made = await Promise.all([1, 2, 3].map(() => world.person({ teamId: owner.teamId })))
  for (const { email } of made) {
    const { id } = await addRecipient(owner, site, { address: email })
    if (email !== made[0]!.email) await owner.ask('DELETE', `${site.path}/reports/${id}`)
  }
  const unsubscribed = [made[0]!.email, made[1]!.email]
  await db`update mail_recipients set unsubscribed_at = now(), confirmed_at = null where address = any(${unsubscribed})`
  await forgetReports(db, new Date('2026-11-19T11:59:59Z'))
  expect(await db`select from mail_recipients`).toHaveLength(3)
  await forgetReports(db, new Date('2026-11-19T12:00:01Z'))
  expect(await db`select address from mail_recipients`).toEqual([{ address: made[0]!.email }])
})

test('reports: a clock that was set back delays no mail that waits', { tags: ['full'] }, async () => {
  await addRecipient(owner, site)
  await refuseAt('2026-10-23T06:00:00Z')
  expect(await subjectsAt('2026-10-21T06:00:00Z')).toContain('no visits (22 October 2026)')
})
