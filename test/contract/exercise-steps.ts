import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { importTotals } from '../../src/transfer/totals/import-totals.ts'
import type { Api, Member } from '../support/api.ts'
import type { SignedIn } from '../support/browser-session.ts'
import { fileOf } from '../transfer/read/source.ts'

export interface Asked {
  /** Fields of the path; `siteKey` is the world's site unless given. */
  path?: Record<string, string>
  query?: string
  /** Sent as JSON; a string as it is. */
  body?: unknown
  token?: string | undefined
  headers?: Record<string, string>
}

export interface Answered {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: exercises look into it
  body: any
}

export interface World {
  api: Api
  owner: Member
  /** Of the same team. */
  member: Member
  viewer: Member
  /** Tokens of the owner with one scope: `read`, `write`. */
  reader: string
  writer: string
  /** Signed in with a browser; their password is `PASSWORD`. */
  person: SignedIn
  /** With hits of every kind, today. */
  site: { id: string; domain: string; tracking_key: string }
  /** Of an error that occurred on the site. */
  errorId: string
}

/** Asks the exercised operation; the answer has to be as it is described. As the owner, or the signed-in person where no token may, unless `token` is given. */
export type Ask = (asked?: Asked) => Promise<Answered>

export const newSite = async ({ api, owner }: World) => {
  const body = { domain: `${randomUUID()}.example` }
  return (await api.call('POST', '/api/sites', { token: owner.token, body })).body as World['site']
}

/** Asks for a change of a site of its own that is made, and for one that is not valid. */
export const change = (good: unknown, bad: unknown) => async (ask: Ask, world: World) => {
  const path = { siteKey: (await newSite(world)).id }
  await ask({ path, body: good })
  await ask({ path, body: bad })
}

/** A hit that is accepted, and those that are not. */
export const hit = (fields: object, bad: object) => async (ask: Ask, world: World) => {
  const sent = { key: world.site.tracking_key, hostname: world.site.domain, ...fields }
  await ask({ body: sent })
  await ask({ body: sent, headers: { 'Content-Type': 'text/plain', 'User-Agent': 'Googlebot/2.1' } })
  await ask({ body: { ...sent, key: randomUUID() } })
  await ask({ body: { ...sent, ...bad } })
}

/** Fails for an empty list: of one, an answer says nothing. */
export async function expectItems(answer: Promise<Answered>, list: (body: Answered['body']) => unknown[]) {
  const { body } = await answer
  expect(list(body).length).toBeGreaterThan(0)
}

/** Asks for a page that has items, and for one that is not valid. */
export const page =
  (query = '') =>
  async (ask: Ask) => {
    await expectItems(ask({ query }), body => body.data)
    await ask({ query: `${query}&per_page=0` })
  }

export async function newShare({ api, owner, site }: World, fields: object = {}) {
  const made = await api.call('POST', `/api/sites/${site.id}/shares`, {
    token: owner.token,
    body: { name: 'test', sections: ['traffic'], ...fields },
  })
  expect(made.status).toBe(201)
  return made.body as { id: string; secret: string }
}

export const newSegment = (world: World) => newOf(world, 'segments', { name: 'test', filters: { path: '/' } })
/** @returns the id of an import of one day */
export async function newTotals({ api, site }: World): Promise<string> {
  const [row] = await api.services.db<{ siteNo: number; timezone: string }[]>`
    select site_no as "siteNo", timezone from sites where id = ${site.id}`
  const { import_id: id } = await importTotals({ db: api.services.db, now: () => new Date() }, row!, {
    format: 'plausible-totals',
    file: fileOf(`date,visitors\n2020-01-01,1\n`, 'imported_visitors.csv'),
  })
  return id!
}
export const newAnnotation = (world: World) =>
  newOf(world, 'annotations', { text: 'test', starts_at: '2026-03-09' })

/** Makes something of the site. @returns its id */
async function newOf({ api, owner, site }: World, what: string, body: object): Promise<string> {
  const made = await api.call('POST', `/api/sites/${site.id}/${what}`, { token: owner.token, body })
  expect(made.status).toBe(201)
  return made.body.id
}

export async function newGoal({ api, owner, site }: World) {
  const body = { match_type: 'page', match_value: `/${randomUUID()}` }
  return (await api.call('POST', `/api/sites/${site.id}/goals`, { token: owner.token, body })).body
}

export const goalBody = () => ({
  match_type: 'event',
  match_value: randomUUID(),
  currency: 'USD',
  custom_props: { plan: 'team' },
})

export async function newFunnel({ api, owner, site }: World) {
  const body = funnelBody()
  return (await api.call('POST', `/api/sites/${site.id}/funnels`, { token: owner.token, body })).body
}

export const funnelBody = () => ({
  name: randomUUID(),
  steps: [
    { type: 'pageview', operator: 'starts_with', value: '/' },
    { name: 'Signed up', type: 'event', value: 'signup' },
  ],
  window: 86_400,
})

export const payment = () => ({
  amount: 4_999,
  currency: 'USD',
  transaction_id: randomUUID(),
  visitor_id: randomUUID(),
  email: 'ada@example.com',
  timestamp: new Date(Date.now() - 60_000).toISOString(),
})

export async function pay({ api, owner, site }: World) {
  const body = payment()
  await api.call('POST', `/api/sites/${site.id}/payments`, { token: owner.token, body })
  return body
}

export const processor = { provider: 'stripe', webhook_secret: 'whsec_secret' }

export const connect = ({ api, owner }: World, siteId: string, body: object = processor) =>
  api.call('PUT', `/api/sites/${siteId}/processor`, { token: owner.token, body })

/** Asks of the error that is known, of one that is not, and with a range that is not valid. */
export const ofError = (list?: (body: Answered['body']) => unknown[]) => async (ask: Ask, world: World) => {
  const path = { error: world.errorId }
  if (list) await expectItems(ask({ path }), list)
  else await ask({ path })
  await ask({ path: { error: randomUUID() } })
  await ask({ path, query: 'range=ever' })
}

/** Returns the newest session of today. */
export async function newestSession({ api, owner, site }: World): Promise<Answered['body']> {
  const { body } = await api.call('GET', `/api/sites/${site.id}/stats/sessions?per_page=1`, {
    token: owner.token,
  })
  return body.data[0]
}

export const webhookBody = () => ({
  name: 'Receiver',
  url: 'https://receiver.example/hook',
  kinds: ['payment.paid'],
})

/** A webhook with one delivery. */
export async function newWebhook({ api, owner, site }: World) {
  const path = `/api/sites/${site.id}/webhooks`
  const options = { token: owner.token }
  const { id: webhook } = (await api.call('POST', path, { ...options, body: webhookBody() })).body
  const { id: delivery } = (await api.call('POST', `${path}/${webhook}/test`, options)).body
  return { webhook, delivery }
}

export const turnOff = ({ api, owner, site }: World, webhook: string) =>
  api.call('PATCH', `/api/sites/${site.id}/webhooks/${webhook}`, {
    token: owner.token,
    body: { is_enabled: false },
  })

export const alertBody = () => ({
  name: 'Silence',
  condition: { kind: 'no_hits', hours: 3 },
})

export async function newAlert({ api, owner, site }: World): Promise<string> {
  const path = `/api/sites/${site.id}/alerts`
  return (await api.call('POST', path, { token: owner.token, body: alertBody() })).body.id
}
