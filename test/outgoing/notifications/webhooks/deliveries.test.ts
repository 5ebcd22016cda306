import { randomUUID } from 'node:crypto'
import { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { MAIL_JOBS } from '../../../../src/outgoing/notifications/send-queued-mails.ts'
import { WEBHOOK_JOBS } from '../../../../src/outgoing/notifications/webhooks/webhook-worker.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import { ofFile } from '../../../support/of-file.ts'
import type { Received, ReceiverAnswer } from '../../../support/receiver.ts'
import { startWorld } from './world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const mails = ofFile(startMailServer)
const world = ofFile(() => startWorld({ mails }))

/** A site with one webhook for payments that answers like this. */
async function paying(
  answer: (count: number) => ReceiverAnswer = () => ({ status: 200 }),
  fields: object = {},
) {
  const site = await world.site()
  const webhook = await world.webhook(site.id, { kinds: ['payment.paid', 'payment.refunded'], ...fields })
  answers.set(webhook.path, () => answer(world.receiver.of(webhook.path).length))
  world.receiver.answer = ({ path }) => answers.get(path)?.() ?? { status: 200 }
  const path = `${site.id}/webhooks/${webhook.id}`
  const got = () => world.receiver.of(webhook.path)
  const pay = (body: object = {}) => {
    const usual = { amount: 4999, currency: 'USD', transaction_id: randomUUID() }
    return world.call('POST', `${site.id}/payments`, { ...usual, ...body })
  }
  const deliveries = async (query = '') => (await world.call('GET', `${path}/deliveries${query}`)).body.data
  const remove = () => world.call('DELETE', path)
  const isThis = ({ id }: { id: string }) => id === webhook.id
  const read = async () => (await world.call('GET', `${site.id}/webhooks`)).body.find(isThis)
  return { site, webhook, path, got, pay, deliveries, read, remove }
}
const answers = new Map<string, () => ReceiverAnswer>()

/** Whether the library of Stripe accepts a message as signed with a secret. */
function isSigned({ body, headers }: Pick<Received, 'body' | 'headers'>, secret: string): boolean {
  const [signature, at] = [headers['analytics-signature'] as string, Math.floor(world.clock.at / 1000)]
  try {
    Stripe.webhooks.constructEvent(body, signature, secret, 300, undefined, at)
    return true
  } catch {
    return false
  }
}

/** Begins what is due now, and waits until it is done. */
async function stepOnce(work = world.startWork()) {
  await world.step(work)
  await work.settle()
}

test('webhooks: a payment is sent once, signed so that the library of Stripe accepts it', async () => {
  const { site, webhook, got, pay, deliveries } = await paying()
  await pay({ transaction_id: 'order-1', customer_id: 'cus_1', email: 'jane@example.com' })
  await pay({ transaction_id: 'order-1' })
  await world.run()
  await world.run()
  expect(got()).toHaveLength(1)
  const [first] = got()
  const { body, json } = first!
  expect(isSigned(first!, webhook.secret)).toBe(true)
  expect(isSigned({ ...first!, body: `${body} ` }, webhook.secret)).toBe(false)
  expect(isSigned(first!, `${webhook.secret}x`)).toBe(false)
  const [row] = await world.db`select domain from sites where site_no = ${site.siteNo}`
  expect(json).toEqual({
    ...{ id: expect.any(String), type: 'payment.paid', api_version: '2026-11-23' },
    ...{ created: world.now().toISOString(), site: { id: site.id, domain: row!.domain } },
    data: {
      ...{ transaction_id: 'order-1', amount: 4999, currency: 'USD', renewal: false, recurring: false },
      ...{ is_free_trial: false, customer_id: 'cus_1', visitor_id: null, session_id: null },
      ...{ timestamp: world.now().toISOString(), source: 'api', refunded_amount: 0 },
    },
  })
  const delivered = { event_id: json.id, state: 'delivered', attempts: 1, status: 200 }
  expect(await deliveries()).toMatchObject([delivered])
  // The log keeps it for 30 days.
  const forget = (ms: number) =>
    WEBHOOK_JOBS[0]!.run({ db: world.db } as never, new Date(world.clock.at + ms))
  await forget(29 * DAY)
  expect(await deliveries()).toHaveLength(1)
  while (await forget(31 * DAY)) {}
  expect(await deliveries()).toEqual([])
})

test('webhooks: failures are tried again with growing pauses, with the same id, until one succeeds', async () => {
  const { path, got, pay, deliveries, read } = await paying(count => ({
    status: count < 6 ? 500 : 204,
    body: 'Oops\0',
  }))
  await pay()
  const times: number[] = []
  const begun = world.clock.at
  for (let count = 0; times.length < 6; count++) {
    await world.run()
    if (got().length > times.length) times.push((world.clock.at - begun) / MINUTE)
    if (got().length === 1) expect((await read()).failing_since).not.toBeNull()
    world.clock.at += MINUTE / 2
    expect(count).toBeLessThan(100)
  }
  expect(times).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5])
  expect(new Set(got().map(({ json }) => json.id)).size).toBe(1)
  const [delivery] = await deliveries()
  expect(delivery).toMatchObject({ state: 'delivered', attempts: 6, next_at: null, status: 204 })
  const { log, body } = (await world.call('GET', `${path}/deliveries/${delivery.id}`)).body
  expect(log.map((each: { status: number; answer: string }) => [each.status, each.answer])).toEqual([
    [204, ''],
    ...Array(5).fill([500, 'Oops']),
  ])
  expect(JSON.parse(body).id).toBe(delivery.event_id)
  expect((await read()).failing_since).toBeNull()
})

test('webhooks: a delivery is given up after three days, and can be sent again by hand', {
  tags: ['full'],
}, async () => {
  let status = 503
  const { path, got, pay, deliveries } = await paying(() => ({ status }))
  await pay()
  const until = world.clock.at + 3 * DAY
  for (; world.clock.at < until + HOUR; world.clock.at += 30 * MINUTE) await world.run()
  const [failed] = await deliveries()
  expect(failed).toMatchObject({ state: 'failed', error: 'bad_status', next_at: null })
  expect(got().length).toBeGreaterThan(15)
  expect(got().length).toBeLessThan(25)
  expect(await deliveries('?state=pending')).toEqual([])
  status = 200
  const again = await world.call('POST', `${path}/deliveries/${failed.id}/redeliver`)
  expect(again).toMatchObject({ status: 202, body: { state: 'pending' } })
  await world.run()
  expect(await deliveries()).toMatchObject([{ id: failed.id, state: 'delivered' }])
  expect(got().at(-1)!.json.id).toBe(failed.event_id)
})

test('webhooks: a delivery that is sent again by hand during its last attempt is tried for another three days', async () => {
  const url = `${world.receiver.url.replace('127.0.0.1', 'hooks.example')}/${randomUUID()}`
  const { path, pay, deliveries, remove } = await paying(() => ({ status: 500 }), { url })
  await pay()
  const resolved = async () => ['127.0.0.1']
  await world.run(world.startWork({ resolve: resolved }))
  const [{ id }] = await deliveries()
  world.clock.at += MINUTE
  await world.db`update webhook_deliveries set retry_until = ${world.now()} where id = ${id}`
  const resolve = async () => {
    await world.call('POST', `${path}/deliveries/${id}/redeliver`)
    return resolved()
  }
  await stepOnce(world.startWork({ resolve }))
  expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 2, error: 'bad_status' }])
  await remove()
})

test('webhooks: an endpoint that fails for five days is switched off, and the owners are mailed once', {
  tags: ['full'],
}, async () => {
  const { path, pay, deliveries, read } = await paying(() => ({ status: 500 }))
  const until = world.clock.at + 5 * DAY + 2 * HOUR
  while (world.clock.at < until) {
    await pay()
    for (let hour = 0; hour < 24; hour += 2, world.clock.at += 2 * HOUR) await world.run()
  }
  await world.run()
  expect(await read()).toMatchObject({ is_enabled: false, waiting: 0, given_up_at: expect.any(String) })
  expect(await deliveries('?state=pending')).toEqual([])
  const ofThis = mails.mails.filter(mail => mail.text?.includes('Receiver'))
  expect(ofThis.map(({ recipients, subject }) => [recipients, subject])).toEqual([
    [['someone@example.com'], expect.stringContaining('switched off')],
  ])
  await pay()
  await world.run()
  expect(await deliveries('?state=pending')).toEqual([])
  const on = await world.call('PATCH', path, { is_enabled: true })
  expect(on.body).toMatchObject({ is_enabled: true, failing_since: null, given_up_at: null })
})

test('webhooks: a notice that the mail server does not take is sent later, once', async () => {
  const { webhook } = await paying()
  await world.db`
    update webhook_endpoints
    set is_enabled = false, given_up_at = ${world.now()}, is_notice_due = true, name = 'Later'
    where id = ${webhook.id}`
  const { config } = world.api.services
  const { mail } = config
  config.mail = { ...mail!, url: 'smtp://127.0.0.1:1' }
  await world.run()
  config.mail = mail
  for (let step = 0; step < 4; step++, world.clock.at += 2 * MINUTE) await world.run()
  expect(mails.mails.filter(({ subject }) => subject!.includes('“Later”'))).toHaveLength(1)
  const queuedAfter = async (days: number) => {
    await MAIL_JOBS[0]!.run({ db: world.db } as never, new Date(world.clock.at + days * DAY))
    return (await world.db`select from queued_mails where subject like '%“Later”%'`).length
  }
  expect([await queuedAfter(29), await queuedAfter(31)]).toEqual([1, 0])
})

test('webhooks: redirects are failures, and are not followed', async () => {
  const headers = { Location: `${world.receiver.url}/x` }
  const { got, pay, deliveries } = await paying(() => ({ status: 302, headers }))
  await pay()
  await world.run()
  expect(got()).toHaveLength(1)
  expect(world.receiver.of('/x')).toEqual([])
  expect(await deliveries()).toMatchObject([{ state: 'pending', status: 302, error: 'redirect' }])
})

/** Waiting for a receiver that never answers; others answer sooner, on a busy machine too. */
const SHORT_MS = 1_500

test('webhooks: a receiver that does not answer ends with a timeout and delays no other', {
  tags: ['full'],
}, async () => {
  const slow = await paying(() => 'never')
  const fast = await paying()
  for (let count = 0; count < 8; count++) await slow.pay()
  await fast.pay()
  const work = world.startWork({ timeoutMs: SHORT_MS })
  await stepOnce(work)
  expect(await fast.deliveries()).toMatchObject([{ state: 'delivered' }])
  expect(slow.got()).toHaveLength(4)
  const errors = (await slow.deliveries()).map((each: { error: string | null }) => each.error)
  expect(errors.filter((error: string | null) => error === 'timed_out')).toHaveLength(4)
  // From now on it gets one attempt at a time.
  await stepOnce(work)
  expect(slow.got()).toHaveLength(5)
  await slow.remove()
})

test('webhooks: a receiver that drips its answer ends with a timeout', async () => {
  const { pay, deliveries, remove } = await paying(() => 'drips')
  await pay()
  await world.run(world.startWork({ timeoutMs: 300 }))
  expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 1, error: 'timed_out' }])
  await remove()
})

test('webhooks: deliveries that are due are sent in the order of their events', async () => {
  const { webhook, got, pay, remove } = await paying(() => ({ status: 500 }))
  const ids = ['1', '2', '3', '4', '5']
  for (const transaction_id of ids) await pay({ transaction_id })
  // One that fails gets one attempt at a time.
  await world.db`update webhook_endpoints set failing_since = now(), failures = 1 where id = ${webhook.id}`
  await stepOnce()
  world.clock.at += HOUR
  // Those of later events have waited longer.
  await world.db`
    update webhook_deliveries
    set next_at = ${new Date(world.clock.at)}::timestamptz - make_interval(secs => event_no::int % 1000)
    where endpoint_id = ${webhook.id}`
  const before = got().length
  await world.run()
  const later = got().slice(before)
  expect(later.map(({ json }) => json.data.transaction_id)).toEqual(ids)
  await remove()
})

test('webhooks: a site with many slow webhooks gets its share of the places, and others are sent to', {
  tags: ['full'],
}, async () => {
  const crowded = await paying(() => 'never')
  const paths = [crowded.webhook.path]
  for (let count = 0; count < 3; count++) {
    const { path } = await world.webhook(crowded.site.id, { kinds: ['payment.paid'] })
    answers.set(path, () => 'never')
    paths.push(path)
  }
  const other = await paying()
  for (let count = 0; count < 4; count++) await crowded.pay()
  await other.pay()
  await stepOnce(world.startWork({ timeoutMs: SHORT_MS }))
  // Twelve in turns: no webhook waits while another has all its places.
  expect(paths.map(path => world.receiver.of(path).length)).toEqual([3, 3, 3, 3])
  expect(await other.deliveries()).toMatchObject([{ state: 'delivered' }])
  for (const { id } of (await world.call('GET', `${crowded.site.id}/webhooks`)).body)
    await world.call('DELETE', `${crowded.site.id}/webhooks/${id}`)
})

test('webhooks: a process that dies between claim and answer sends the same event again', async () => {
  const { got, pay, deliveries } = await paying()
  await pay()
  await stepOnce()
  const other = world.startWork()
  const [{ id }] = await deliveries()
  // As if the process had died before it noted the answer.
  await world.db`update webhook_deliveries set state = 'pending', attempts = 0, finished_at = null,
    next_at = ${new Date(world.clock.at + 2 * MINUTE)} where id = ${id}`
  await world.db`delete from webhook_attempts where delivery_id = ${id}`
  expect(await world.step(other)).toBe(0)
  world.clock.at += 2 * MINUTE
  await world.run(other)
  expect(got()).toHaveLength(2)
  expect(got()[0]!.json).toEqual(got()[1]!.json)
  expect(await deliveries()).toMatchObject([{ id, state: 'delivered', attempts: 1 }])
})

test('webhooks: two processes that deliver at once send each event once, a refunded payment as two', async () => {
  const { got, pay } = await paying()
  for (let count = 0; count < 6; count++) await pay({ refunded: true })
  const works = [world.startWork(), world.startWork()]
  for (let round = 0; round < 6; round++) await Promise.all(works.map(stepOnce))
  const told = got().map(({ json }) => [json.type, json.data.refunded_amount])
  expect(told.sort()).toEqual([
    ...Array(6).fill(['payment.paid', 4999]),
    ...Array(6).fill(['payment.refunded', 4999]),
  ])
})

test('webhooks: a replaced secret signs until its time is over', async () => {
  const { path, webhook, got, pay } = await paying()
  const { secret } = (await world.call('POST', `${path}/secret`, { overlap_hours: 1 })).body
  const accepted = async () => {
    await pay()
    await world.run()
    return [webhook.secret, secret].map(each => isSigned(got().at(-1)!, each))
  }
  expect(await accepted()).toEqual([true, true])
  world.clock.at += HOUR + 1
  expect(await accepted()).toEqual([false, true])
})

test('webhooks: what happened before, while it was off, or was not chosen is not sent', async () => {
  const { path, got, pay } = await paying(undefined, { kinds: ['payment.paid'] })
  await pay({ transaction_id: 'before', timestamp: new Date(world.clock.at - DAY).toISOString() })
  await world.call('PATCH', path, { is_enabled: false })
  await pay({ transaction_id: 'off' })
  await world.run()
  world.clock.at += MINUTE
  await world.call('PATCH', path, { is_enabled: true })
  await pay({ transaction_id: 'on', refunded: true })
  await world.run()
  expect(got().map(({ json }) => [json.type, json.data.transaction_id])).toEqual([['payment.paid', 'on']])
})

test('webhooks: a full queue takes no more, and says how many it lost', async () => {
  const { webhook, pay, read, got } = await paying(() => ({ status: 500 }))
  for (let count = 0; count < 5; count++) await pay()
  await world.run(world.startWork({ mostWaiting: 3 }))
  expect(await read()).toMatchObject({ waiting: 3, dropped: 2 })
  world.clock.at += MINUTE
  answers.set(webhook.path, () => ({ status: 200 }))
  await world.run()
  expect(new Set(got().map(({ json }) => json.id)).size).toBe(3)
  expect(await read()).toMatchObject({ waiting: 0, dropped: 2 })
})

test('webhooks: a test message goes to its endpoint alone', async () => {
  const { site, path, got } = await paying()
  const other = await world.webhook(site.id, { kinds: ['payment.paid'] })
  const sent = await world.call('POST', `${path}/test`)
  expect(sent).toMatchObject({ status: 202, body: { type: 'test', state: 'pending' } })
  await world.run()
  expect(got().map(({ json }) => json.type)).toEqual(['test'])
  expect(world.receiver.of(other.path)).toEqual([])
})

test('webhooks: Slack and Discord get what their incoming webhooks take, without a signature', async () => {
  const slack = await paying(undefined, { format: 'slack' })
  const discord = await paying(undefined, { format: 'discord' })
  await slack.pay({ transaction_id: '<!channel> & co', refunded: true })
  await discord.pay({ transaction_id: '@everyone **bold**' })
  await world.run()
  expect(slack.webhook).toMatchObject({ secret: null, url: `${world.receiver.url}/…` })
  const [toSlack, ofRefund] = slack.got()
  expect(slack.got()).toHaveLength(2)
  expect(ofRefund!.json.text).toContain('49.99 USD of 49.99 USD refunded so far')
  expect(toSlack!.headers['analytics-signature']).toBeUndefined()
  const title = expect.stringContaining('Payment of 49.99 USD')
  const text = { type: 'mrkdwn', text: expect.stringContaining('&lt;!channel&gt; &amp; co') }
  expect(toSlack!.json).toEqual({ text: title, blocks: [{ type: 'section', text }] })
  expect(discord.got()[0]!.json).toMatchObject({
    embeds: [{ title, description: expect.stringContaining('\\*\\*bold') }],
    allowed_mentions: { parse: [] },
  })
})
