import { expect, test } from 'vitest'
import { findConnection, type OpenConnection } from '../../../src/money/processor/connection.ts'
import { receiveEvent } from '../../../src/money/receive-event.ts'
import type { Answer } from '../../support/api.ts'
import {
  apiOfFile,
  connect,
  deliver,
  event,
  onDay,
  openShop,
  type Shop,
  type StripeEvent,
  subscription,
} from '../../support/stripe.ts'

const api = apiOfFile()

const started = () => event('customer.subscription.created', subscription(), onDay(1))
const find = async ({ siteId }: Shop) =>
  (await findConnection(api.services.db, siteId, api.services.config.secretKey))!
const disconnect = ({ siteId, member }: Shop) =>
  api.call('DELETE', `/api/sites/${siteId}/processor`, { token: member.token })

/** Receives an event whose signature was verified with this connection. */
const receive = (connection: OpenConnection, told: StripeEvent) =>
  receiveEvent({ ...api.services, stripeApiBase: undefined }, connection, JSON.stringify(told))

async function facts({ siteNo }: Shop): Promise<number> {
  const [row] = await api.services.db`
    select count(*)::int as facts from processor_facts where site_no = ${siteNo}`
  return row!.facts
}

test('disconnecting: a verified event is not recorded once the processor is disconnected, or another is connected', async () => {
  const shop = await openShop(api)
  const connection = await find(shop)
  expect((await disconnect(shop)).status).toBe(204)
  await expect(receive(connection, started())).rejects.toMatchObject({ code: 'not_found' })
  await connect(api, shop.member, shop.siteId)
  await expect(receive(connection, started())).rejects.toMatchObject({ code: 'not_found' })
  expect(await facts(shop)).toBe(0)
  await receive(await find(shop), started())
  expect(await facts(shop)).toBe(1)
})

// The embedded database has one session, which runs transactions one after the other.
test('disconnecting: an event that is being recorded delays the disconnection', {
  tags: ['native'],
}, async () => {
  const shop = await openShop(api)
  const { db } = api.services
  const told = started()
  let answers: [Promise<Answer>, Promise<Answer>] | undefined
  const waiting = async (query: string) => {
    const [row] = await db`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${query}%`}`
    return row!.count
  }
  const undone = new Error('undone')
  const holding = db.begin(async tx => {
    await tx`
      insert into webhook_events (site_no, event_id, type, created_at)
      values (${shop.siteNo}, ${told.id}, 'held', now())`
    const delivered = deliver(shop, told)
    await expect.poll(() => waiting('insert into webhook_events')).toBe(1)
    answers = [delivered, disconnect(shop)]
    await expect.poll(() => waiting('delete from processor_connections')).toBe(1)
    throw undone
  })
  await expect(holding).rejects.toBe(undone)
  const [delivered, disconnected] = await Promise.all(answers!)
  expect([delivered.status, disconnected.status]).toEqual([200, 204])
  expect(await facts(shop)).toBe(1)
})
