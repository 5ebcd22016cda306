import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { ofFile } from '../support/of-file.ts'
import {
  type DeliveryOptions,
  deliver as deliverTo,
  type Json,
  SECRET,
  type StripeEvent,
} from '../support/stripe.ts'
import { type StatsSite, startStats } from './stats-site.ts'

/** Present time of these services. */
export const NOW = '2026-03-18T12:00:00Z'
/** From 1 January to now; the buckets are days. */
export const TEST_RANGE = 'from=2026-01-01&to=2026-03-18'
export const SERVICE_EVENTS = [
  ...['payment', 'free_trial', 'trial_started', 'trial_converted'],
  ...['started', 'renewed', 'upgraded', 'downgraded', 'cancel_scheduled', 'reactivated', 'ended'].map(
    name => `subscription_${name}`,
  ),
]

/** Starts the API at `NOW`, with helpers for payments and processors. */
export async function startRevenue() {
  const stats = await startStats(NOW)
  const { api, owner } = stats
  const call = (method: string, path: string, body?: unknown, token: string | undefined = owner.token) =>
    api.call(method, path, { token, body })

  async function shop(timezone?: string): Promise<StatsSite> {
    const site = await stats.site(timezone)
    const made = await connect(site)
    expect(made.status).toBe(200)
    return site
  }
  const connect = (site: StatsSite, body: Json = {}, token?: string) =>
    call('PUT', `${site.path}/processor`, { provider: 'stripe', webhook_secret: SECRET, ...body }, token)

  const deliver = (site: { id: string }, payload: StripeEvent | string, options: DeliveryOptions = {}) =>
    deliverTo({ api, siteId: site.id }, payload, { signedAt: Date.parse(NOW) / 1000, ...options })

  return {
    ...stats,
    call,
    shop,
    connect,
    deliver,
    /** Delivers events one after the other and expects 200 for each. */
    async deliverAll(site: StatsSite, events: StripeEvent[]) {
      for (const each of events) {
        const answer = await deliver(site, each)
        expect(answer.status, `${each.type}: ${JSON.stringify(answer.body)}`).toBe(200)
      }
    },
    pay: (site: StatsSite, fields: Json = {}, token?: string) =>
      call(
        'POST',
        `${site.path}/payments`,
        { amount: 1000, currency: 'USD', transaction_id: randomUUID(), ...fields },
        token,
      ),
    payments: async (site: StatsSite): Promise<Json[]> =>
      (await stats.read(site, '/payments?per_page=100')).data,
    overview: (site: StatsSite, query = TEST_RANGE): Promise<Json> => stats.read(site, `/overview?${query}`),
    /** Returns net movements by day through the API, without those of 0. */
    async movements(site: StatsSite): Promise<Record<string, number>> {
      const { labels, values } = await stats.read(site, `/stats/timeseries?metric=mrr&${TEST_RANGE}`)
      const days = labels.map((label: string, index: number) => [label.slice(0, 10), values[index]])
      return Object.fromEntries(days.filter(([, value]: [string, number]) => value !== 0))
    },
    /** Returns service events of the log: `2026-01-05 subscription_started`. */
    async log(site: StatsSite): Promise<string[]> {
      const { data } = await stats.read(site, `/stats/events?types=event&per_page=100&${TEST_RANGE}`)
      return data
        .map((row: Json) => `${new Date(row.timestamp).toISOString().slice(0, 10)} ${row.event_name}`)
        .sort()
    },
    /** Returns a token of another user of the owner's team. */
    async colleague(role: 'admin' | 'member' | 'viewer', teamId = owner.teamId) {
      return (await api.member({ teamId, role })).token
    },
    /** Creates a team whose plan ended after it created a site. */
    async lapsedTeam() {
      const member = await api.member()
      const site = await stats.site('UTC', member)
      await api.services.db`update teams set plan = 'lapsed' where id = ${member.teamId}`
      return { ...member, site }
    },
  }
}

export type Revenue = Awaited<ReturnType<typeof startRevenue>>

/** Starts it before the tests of a file, and closes it after them. */
export const revenueOfFile = (): Revenue => ofFile(startRevenue)
