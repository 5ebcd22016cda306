import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { setPlan } from '../../../../src/access/teams/accounts.ts'
import { ofFile } from '../../../support/of-file.ts'
import { startAlertWorld } from './world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const WEEK = 7 * 24 * HOUR

const world = ofFile(startAlertWorld)

test('alerts: seven hours with normal traffic, a spike, a drop, silence and recovery', {
  tags: ['full'],
}, async () => {
  const { site, store, storeAt, alert, agree, goal: goalOf, incidents } = await world.siteWithHits()
  world.clock.at = Math.ceil(world.clock.at / HOUR) * HOUR
  const begin = world.clock.at
  // Four weeks with twelve visitors every five minutes at these hours.
  const quarters = Array.from({ length: 32 }, (_, index) => (index - 4) * 15 * MINUTE)
  for (let week = 1; week <= 4; week++) {
    const times = quarters.map(after => begin - week * WEEK + after)
    await storeAt(times, () => 36, { line: 1 })
  }
  const goal = await goalOf({ match_type: 'event', match_value: 'signup' })
  const [signed, slack, discord] = [
    await world.webhook(site.id),
    await world.webhook(site.id, { format: 'slack' }),
    await world.webhook(site.id, { format: 'discord' }),
  ]
  const channels = {
    emails: ['ops@example.com', 'ada@example.com'],
    webhooks: [signed.id, slack.id, discord.id],
  }
  await alert('Spike', { kind: 'traffic_spike', metric: 'visitors', percent: 100 }, channels)
  await alert('Drop', { kind: 'traffic_drop', metric: 'pageviews', percent: 50 }, channels)
  await alert('Silence', { kind: 'no_hits', hours: 1 }, channels)
  await alert('Errors', { kind: 'error_rate', percent: 5 }, channels)
  await alert('Signup', { kind: 'goal', goal: goal.id, operator: 'above', count: 0, hours: 1 }, channels)
  await agree()
  // Visitors of five minutes by hour: normal, spike, normal, drop, silence, normal.
  const shape = (hour: number) =>
    hour < 2 ? 12 : hour < 3 ? 60 : hour < 4 ? 12 : hour < 4.5 ? 2 : hour < 5.75 ? 0 : 12
  for (; world.clock.at < begin + 7.5 * HOUR; world.clock.at += 5 * MINUTE) {
    const hour = (world.clock.at - begin) / HOUR
    if (shape(hour) > 0) await store(shape(hour))
    if (hour === 1) await store(1, world.clock.at, { type: 'event', name: 'signup' })
    // Compares the hits with goals, and delivers what the check before has found.
    await world.run()
    // A check that runs twice at once says nothing twice.
    await (hour % 1 < 0.1 ? Promise.all([world.check(), world.check()]) : world.check())
  }
  await world.run()
  const found = (await incidents()).map(
    (each: { alert: { name: string }; opened_at: string; resolved_at: string }) => [
      each.alert.name,
      ...[each.opened_at, each.resolved_at].map(at => (Date.parse(at) - begin) / HOUR),
    ],
  )
  const [drop, signup, silence, spike] = found.toSorted() as [string, number, number][]
  expect(found).toHaveLength(4)
  for (const [name, [of, from, to], bounds] of [
    ['Spike', spike!, [2.2, 2.8, 3.4, 4.5]],
    ['Drop', drop!, [4.4, 5, 6.2, 7.3]],
  ] as const) {
    const isIn = from > bounds[0] && from < bounds[1] && to > bounds[2] && to < bounds[3]
    expect([of, from, to, isIn]).toEqual([name, from, to, true])
  }
  expect(silence).toEqual(['Silence', expect.closeTo(5.42, 1), expect.closeTo(5.75, 1)])
  expect(signup).toEqual(['Signup', 1, 2])

  // Each state was told once to each channel, and nothing else was.
  const told = ['Drop', 'Signup', 'Silence', 'Spike']
    .flatMap(name => [`Alert: ${name}`, `Over: ${name}`])
    .sort()
  for (const address of channels.emails) {
    const subjects = world.mails.mails
      .filter(mail => mail.recipients[0] === address)
      .map(mail => mail.subject!.split(' (')[0])
    expect(subjects.sort()).toEqual(told)
  }
  const events = world.receiver.of(signed.path).map(({ json }) => json)
  const prefix = { 'alert.opened': 'Alert', 'alert.resolved': 'Over' } as Record<string, string>
  expect(events.map(({ type, data }) => `${prefix[type]}: ${data.alert.name}`).sort()).toEqual(told)
  const over = events.find(({ type, data }) => type === 'alert.resolved' && data.alert.name === 'Spike').data
  expect(over.duration_seconds).toBeCloseTo((spike![2] - spike![1]) * 3_600, 0)
  expect(world.receiver.of(signed.path)[0]!.headers['analytics-signature']).toMatch(/^t=\d+,v1=/)
  const [toSlack, toDiscord] = [slack, discord].map(({ path }) =>
    world.receiver.of(path).map(({ json }) => json),
  )
  expect(toSlack!.filter(({ text }) => /: (Alert|Over): /.test(text))).toHaveLength(8)
  expect(toDiscord!.filter(({ embeds }) => embeds[0].title.includes('Spike'))).toHaveLength(2)
  const ofSpike = world.mails.mails.find(mail => mail.subject!.startsWith('Over: Spike'))!
  expect(ofSpike.text).toMatch(/It lasted \d h( \d+ min)?, from 20/)
  expect(ofSpike.text).toMatch(/It began with: \d+ visitors in the last hour; more than \d+ are unusual/)
  expect(ofSpike.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
})

test('alerts: imported hits of the last hour are no spike, and hits that wait are no silence', {
  tags: ['full'],
}, async () => {
  const { store, alert, incidents } = await world.siteWithHits()
  for (let week = 1; week <= 4; week++) await store(5, world.clock.at - week * WEEK, { line: 1 })
  await alert('Spike', { kind: 'traffic_spike', metric: 'visitors', percent: 100, minimum: 10 })
  await alert('Errors', { kind: 'error_count', count: 5 })
  const at = world.clock.at - 40 * MINUTE
  await store(50, at, { line: 1 })
  await store(10, at, { line: 1, type: 'error', errorId: randomUUID(), error: { message: 'x' } })
  await world.check()
  expect(await incidents()).toEqual([])
  await alert('Silence', { kind: 'no_hits', hours: 1 })
  for (const end = world.clock.at + 2 * HOUR; world.clock.at < end; ) {
    world.clock.at += 5 * MINUTE
    await world.check(true)
  }
  expect(await incidents()).toEqual([])
  world.clock.at += 5 * MINUTE
  await world.check()
  expect(await incidents()).toMatchObject([{ alert: { name: 'Silence' }, resolved_at: null }])
})

test('alerts: while the service was away there was no silence', { tags: ['full'] }, async () => {
  const { store, alert, incidents } = await world.siteWithHits()
  await store(3)
  await alert('Silence', { kind: 'no_hits', hours: 2 })
  await world.check()
  world.clock.at += 5 * HOUR
  await world.check()
  expect(await incidents()).toEqual([])
  await world.pass(125 * MINUTE)
  expect(await incidents()).toHaveLength(1)
})

test('alerts: lost MRR of the last day opens one incident; changing the alert ends it without a message', async () => {
  const { site, alert, agree, incidents } = await world.siteWithHits()
  const made = await alert(
    'Churn',
    { kind: 'mrr_churn', unit: 'percent', value: 10, days: 1 },
    { emails: ['money@example.com'], language: 'de' },
  )
  await agree()
  world.clock.at += HOUR
  const [old, now] = [new Date(world.clock.at - 40 * 24 * HOUR), new Date(world.clock.at - MINUTE)]
  const change = (at: Date, kind: string, amount: number) => world.db`
    insert into mrr_changes (site_no, currency, customer, at, kind, amount_minor, subscriptions)
    values (${site.siteNo}, 'USD', ${randomUUID()}, ${at}, ${kind}, ${amount}, 0)`
  await change(old, 'new', 10_000)
  await change(now, 'churn', -900)
  await world.check()
  expect(await incidents()).toEqual([])
  await change(now, 'contraction', -200)
  await world.pass(15 * MINUTE)
  await world.run()
  expect(await incidents()).toMatchObject([{ value: 11, bound: 10, resolved_at: null }])
  const path = `${site.id}/alerts/${made.id}`
  await world.call('PATCH', path, { condition: { kind: 'mrr_churn', unit: 'amount', value: 1, days: 7 } })
  expect((await incidents())[0].resolved_at).not.toBeNull()
  world.clock.at += 5 * MINUTE
  await world.check()
  await world.run()
  const told = world.mails.mails.filter(mail => mail.recipients[0] === 'money@example.com')
  expect(told.map(({ text }) => text)).toEqual([
    expect.stringContaining('Verlorener MRR in den letzten 24 Stunden: 11 %; die Grenze ist 10 %.'),
  ])
  expect((await incidents())[0]).toMatchObject({
    text: 'MRR lost in the last 24 hours: 11 %; the limit is 10 %.',
    ...{ condition: { kind: 'mrr_churn', unit: 'percent', value: 10, days: 1 }, currency: 'USD' },
    ...{ goal_name: null, resolution: 'changed' },
  })
})

test('alerts: a goal that is reached too rarely is reported after a whole window; late hits of before do not count', async () => {
  const { store, alert, goal: goalOf, incidents } = await world.siteWithHits()
  await store(1)
  const goal = await goalOf()
  const rule = { kind: 'goal', goal: goal.id, operator: 'below', count: 2, hours: 1 }
  await alert('Few', rule)
  await alert('Any', { ...rule, operator: 'above', count: 0 })
  await store(5, world.clock.at - 2 * HOUR, { url: '/buy' })
  await world.pass(55 * MINUTE)
  expect(await incidents()).toEqual([])
  await world.pass(10 * MINUTE)
  expect(await incidents()).toMatchObject([{ alert: { name: 'Few' }, value: 0 }])
  await store(2, world.clock.at, { url: '/buy' })
  await world.pass(5 * MINUTE)
  expect(await incidents()).toMatchObject([
    { alert: { name: 'Any' }, resolved_at: null },
    { alert: { name: 'Few' }, resolved_at: expect.any(String) },
  ])
})

test('alerts: limits, hostile input, and what is gone', async () => {
  const { site, alert, goal: goalOf } = await world.siteWithHits()
  const goal = await goalOf()
  const base = { name: 'x', condition: { kind: 'no_hits', hours: 1 } }
  for (const wrong of [
    { condition: { kind: 'weather' } },
    { condition: { kind: 'no_hits', hours: 0 } },
    { condition: { kind: 'goal', goal: randomUUID(), operator: 'above', count: 0, hours: 1 } },
    { condition: { kind: 'goal', goal: goal.id, operator: 'below', count: 0, hours: 1 } },
    { emails: ['Ada <ada@example.com>'] },
    { emails: ['a@b.example\nBcc: x@y.example'] },
    { emails: Array.from({ length: 11 }, (_, index) => `a${index}@example.com`) },
    { webhooks: [randomUUID()] },
    { name: '' },
  ]) {
    expect((await world.call('POST', `${site.id}/alerts`, { ...base, ...wrong })).status).toBe(422)
  }
  const webhook = await world.webhook(site.id)
  const condition = { kind: 'goal', goal: goal.id, operator: 'below', count: 1, hours: 1 }
  const made = await alert('Goal', condition, { webhooks: [webhook.id], emails: ['a@example.com'] })
  expect((await world.call('POST', `${site.id}/alerts/${made.id}/test`)).status).toBe(204)
  await world.run()
  expect(world.receiver.of(webhook.path).map(({ json }) => json.type)).toEqual(['alert.test'])
  await world.call('DELETE', `${site.id}/webhooks/${webhook.id}`)
  await world.call('DELETE', `${site.id}/goals/${goal.id}`)
  const changed = await world.call('PATCH', `${site.id}/alerts/${made.id}`, { name: 'New' })
  expect(changed).toMatchObject({ status: 200, body: { name: 'New', webhooks: [] } })
  const many = await Promise.all(
    Array.from({ length: 52 }, () => world.call('POST', `${site.id}/alerts`, base)),
  )
  expect(many.filter(({ status }) => status === 201)).toHaveLength(49)
  expect((await world.call('DELETE', `${site.id}/alerts/${made.id}`)).status).toBe(204)
})

test('alerts: a drop that lasts over a quiet night is one incident, which ends when traffic is usual again', {
  tags: ['full'],
}, async () => {
  const { store, storeAt, alert, incidents } = await world.siteWithHits()
  world.clock.at = Math.ceil(world.clock.at / HOUR) * HOUR
  const begin = world.clock.at
  // Each quarter of an hour: 20 visitors by day, 2 in the third and fourth hour.
  const usual = (hour: number) => (hour >= 2 && hour < 4 ? 2 : 20)
  const quarters = Array.from({ length: 32 }, (_, index) => index / 4 - 1)
  for (let week = 1; week <= 4; week++) {
    const times = quarters.map(hour => begin - week * WEEK + hour * HOUR)
    await storeAt(times, index => usual(quarters[index]!))
  }
  await alert('Drop', { kind: 'traffic_drop', metric: 'visitors', percent: 50 })
  await alert('Errors', { kind: 'error_rate', percent: 50, minimum: 10 })
  for (let step = 0; step < 28; step++, world.clock.at += 15 * MINUTE) {
    const hour = step / 4
    const isBad = hour < 4.75
    // By night the few that come are all there are.
    await store(isBad && usual(hour) === 20 ? 4 : usual(hour))
    if (isBad)
      await store(3, world.clock.at, { type: 'error', errorId: randomUUID(), error: { message: 'x' } })
    await world.check()
  }
  const found = await incidents()
  expect(found.map((each: { alert: { name: string } }) => each.alert.name).sort()).toEqual(['Drop', 'Errors'])
  for (const { opened_at: from, resolved_at: to, resolution } of found) {
    expect((Date.parse(from) - begin) / HOUR).toBeLessThan(2)
    expect((Date.parse(to) - begin) / HOUR).toBeGreaterThan(4.75)
    expect(resolution).toBe('normal')
  }
})

test('alerts: an incident that could not be judged for a week is over, and says why', {
  tags: ['full'],
}, async () => {
  const { store, alert, incidents } = await world.siteWithHits()
  for (let week = 1; week <= 4; week++) await store(60, world.clock.at - week * WEEK - 30 * MINUTE)
  const { id } = await alert('Drop', { kind: 'traffic_drop', metric: 'visitors', percent: 50 })
  await world.db`update alert_clock set running_since = ${new Date(world.clock.at - 2 * HOUR)}`
  await world.check()
  expect(await incidents()).toMatchObject([{ resolved_at: null }])
  // Two hours later there is nothing usual to compare with.
  await world.pass(2 * HOUR)
  const eightDaysAgo = new Date(world.clock.at - 8 * 24 * HOUR)
  await world.db`update alert_rules set judged_at = ${eightDaysAgo} where id = ${id}`
  await world.db`update alert_incidents set opened_at = ${eightDaysAgo} where rule_id = ${id}`
  await world.pass(5 * MINUTE)
  expect(await incidents()).toMatchObject([{ resolved_at: null }])
  await world.db`update alert_clock set running_since = ${eightDaysAgo}`
  // Without an active plan it was not checked either.
  await world.db`update alert_rules set checked_at = ${eightDaysAgo} where id = ${id}`
  await world.pass(10 * MINUTE)
  expect(await incidents()).toMatchObject([{ resolved_at: null }])
  await world.db`update alert_rules set judged_at = ${eightDaysAgo} where id = ${id}`
  await world.pass(5 * MINUTE)
  expect(await incidents()).toMatchObject([{ resolution: 'too_little_data' }])
})

test('alerts: conversions that are not matched yet open no incident about too few, and end none', {
  tags: ['full'],
}, async () => {
  const { store, alert, goal: goalOf, incidents } = await world.siteWithHits()
  await store(1)
  const goal = await goalOf()
  const rule = { kind: 'goal', goal: goal.id, hours: 1 }
  await alert('Few', { ...rule, operator: 'below', count: 1 })
  await alert('Any', { ...rule, operator: 'above', count: 0 })
  await world.pass(55 * MINUTE)
  await store(1, world.clock.at, { url: '/buy' })
  world.clock.at += 10 * MINUTE
  await world.check()
  expect(await incidents()).toEqual([])
  await world.pass(5 * MINUTE)
  expect(await incidents()).toMatchObject([{ alert: { name: 'Any' } }])
  await world.pass(40 * MINUTE)
  // The first conversion leaves the window while another one waits.
  await store(1, world.clock.at, { url: '/buy' })
  world.clock.at += 20 * MINUTE
  await world.check()
  expect(await incidents()).toMatchObject([{ alert: { name: 'Any' }, resolved_at: null }])
})

test('alerts: the incident of a goal that is deleted is over, and those who were told of it learn why', async () => {
  const { site, store, alert, goal: goalOf, incidents } = await world.siteWithHits()
  const goal = await goalOf()
  const condition = { kind: 'goal', goal: goal.id, operator: 'above', count: 0, hours: 168 }
  const webhook = await world.webhook(site.id)
  const slack = await world.webhook(site.id, { format: 'slack' })
  await alert('Bought', condition, { webhooks: [webhook.id, slack.id] })
  await store(1, world.clock.at + MINUTE, { url: '/buy' })
  await world.pass(5 * MINUTE)
  expect(await incidents()).toMatchObject([{ goal_name: goal.display_name, resolved_at: null }])
  await world.call('DELETE', `${site.id}/goals/${goal.id}`)
  await world.pass(10 * MINUTE)
  await world.run()
  expect(await incidents()).toMatchObject([{ resolution: 'goal_deleted', goal_name: goal.display_name }])
  const events = world.receiver.of(webhook.path).map(({ json }) => [json.type, json.data.resolution])
  expect(events).toEqual([
    ['alert.opened', null],
    ['alert.resolved', 'goal_deleted'],
  ])
  const chat = world.receiver.of(slack.path).at(-1)!.json
  expect(chat.blocks[0].text.text).toContain('Its goal was deleted')
})

test('alerts: without an active plan nothing is checked; with one again, checks go on', async () => {
  const { store, alert, incidents } = await world.siteWithHits()
  await store(1)
  await alert('Silence', { kind: 'no_hits', hours: 1 })
  const { db } = world.api.services
  await setPlan(db, { teamId: world.owner.teamId, plan: 'lapsed' }, world.now())
  await world.pass(70 * MINUTE, 15 * MINUTE)
  expect(await incidents()).toEqual([])
  await setPlan(db, { teamId: world.owner.teamId, plan: 'active' }, world.now())
  await world.pass(5 * MINUTE)
  expect(await incidents()).toHaveLength(1)
})

test('alerts: after a clock that was a year ahead, rules are checked and mails are sent at once', {
  tags: ['full'],
}, async () => {
  const { site, store, alert, agree, incidents } = await world.siteWithHits()
  await store(1)
  const address = `${randomUUID()}@example.org`
  const made = await alert('Silence', { kind: 'no_hits', hours: 1 }, { emails: [address] })
  await agree()
  const { config } = world.api.services
  const { mail } = config
  const now = world.clock.at
  world.clock.at += 365 * 24 * HOUR
  await world.check()
  config.mail = { ...mail!, url: 'smtp://127.0.0.1:1' }
  await world.call('POST', `${site.id}/alerts/${made.id}/test`)
  await world.run()
  world.clock.at = now
  config.mail = mail
  await world.run()
  expect(world.mails.mails.filter(({ recipients }) => recipients[0] === address)).toHaveLength(1)
  await world.pass(70 * MINUTE)
  expect(await incidents()).toMatchObject([{ alert: { name: 'Silence' } }])
})
