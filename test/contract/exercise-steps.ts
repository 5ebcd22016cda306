import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { PROOF_MS } from '../../src/access/accounts/prove-again.ts'
import { importTotals } from '../../src/outgoing/transfer/totals/import-totals.ts'
import { fileOf } from '../outgoing/transfer/read/source.ts'
import type { Api, Member } from '../support/api.ts'
import { type SignedIn, signIn } from '../support/browser-session.ts'

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

export const newSite = ({ api, owner }: World) => api.site(owner)

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

/** Asks with each query. The answer to the first has items: in its field `list`, or it is a list. */
export const items =
  (list: string, first = '', ...others: string[]) =>
  async (ask: Ask) => {
    await expectItems(ask({ query: first }), body => (list ? body[list] : body))
    await queries(...others)(ask)
  }

export const queries =
  (...asked: string[]) =>
  async (ask: Ask) => {
    for (const query of asked) await ask({ query })
  }

export const bodies =
  (...asked: object[]) =>
  async (ask: Ask) => {
    for (const body of asked) await ask({ body })
  }

/** Asks for a page that has items, and for one that is not valid. */
export const page = (query = '') => items('data', query, `${query}&per_page=0`)

export type Exercise = (ask: Ask, world: World) => Promise<unknown>
/** Makes something of the site. @returns its id */
type Make = (world: World) => Promise<string>

/** Asks when something was made. */
export const after =
  (make: (world: World) => Promise<unknown>, exercise: Exercise): Exercise =>
  async (ask, world) => {
    await make(world)
    await exercise(ask, world)
  }

/** Asks for what was made, with each query, and for something that does not exist. */
export const one =
  (field: string, make: Make, ...queries: string[]): Exercise =>
  async (ask, world) => {
    const path = { [field]: await make(world) }
    for (const query of queries.length > 0 ? queries : ['']) await ask({ path, query })
    await ask()
  }

/** Changes what was made, in a valid way and in another, and something that does not exist. */
export const patch =
  (field: string, make: Make, good: object, bad: object): Exercise =>
  async (ask, world) => {
    const path = { [field]: await make(world) }
    await ask({ path, body: good })
    await ask({ path, body: bad })
    await ask({ body: good })
  }

/** Deletes what was made, and once more. */
export const twice =
  (field: string, make: Make): Exercise =>
  async (ask, world) => {
    const path = { [field]: await make(world) }
    await ask({ path })
    await ask({ path })
  }

export const newShare = (world: World, fields: object = {}) =>
  made(world, 'shares', { name: 'test', sections: ['traffic'], ...fields })

/** @returns the share with its new link, which only a browser is shown */
export async function renewedShare({ api, owner, site }: World, id: string): Promise<Answered['body']> {
  const { headers } = await signIn(api, { teamId: owner.teamId })
  return (await api.call('POST', `/api/sites/${site.id}/shares/${id}/link`, { headers })).body
}

/** Asks as a person of the owner's team who has signed in more than 12 hours ago. */
export async function asUnproven({ api, owner }: World): Promise<Asked> {
  const at = new Date(Date.now() - PROOF_MS - 1_000)
  const { headers } = await signIn(api, { teamId: owner.teamId, at })
  return { token: undefined, headers }
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

/** Makes something of the site. */
async function made({ api, owner, site }: World, what: string, body: object): Promise<Answered['body']> {
  const answer = await api.call('POST', `/api/sites/${site.id}/${what}`, { token: owner.token, body })
  expect(answer.status).toBe(201)
  return answer.body
}

const newOf = async (world: World, what: string, body: object): Promise<string> =>
  (await made(world, what, body)).id

export const newGoal = (world: World) =>
  newOf(world, 'goals', { match_type: 'page', match_value: `/${randomUUID()}` })

export const goalBody = () => ({
  match_type: 'event',
  match_value: randomUUID(),
  currency: 'USD',
  custom_props: { plan: 'team' },
})

export const newFunnel = (world: World) => newOf(world, 'funnels', funnelBody())

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

export const connect = ({ api, owner, site }: World, body: object = processor) =>
  api.call('PUT', `/api/sites/${site.id}/processor`, { token: owner.token, body })

/** Asks of the error that is known, of one that is not, and with a range that is not valid. */
export const ofError = (list?: (body: Answered['body']) => unknown[]) => async (ask: Ask, world: World) => {
  const path = { error: world.errorId }
  if (list) await expectItems(ask({ path }), list)
  else await ask({ path })
  await ask({ path: { error: randomUUID() } })
  await ask({ path, query: 'range=ever' })
}

/** Returns the newest session of today. */
async function newestSession({ api, owner, site }: World): Promise<Answered['body']> {
  const path = `/api/sites/${site.id}/stats/sessions?per_page=1`
  return (await api.call('GET', path, { token: owner.token })).body.data[0]
}
export const newestSessionId: Make = async world => (await newestSession(world)).session_id
export const newestVisitorId: Make = async world => (await newestSession(world)).visitor_id

/** @returns the id of the erasure */
export const erase: Make = async ({ api, owner, site }) =>
  (await api.call('DELETE', `/api/sites/${site.id}/visitors/user-1`, { token: owner.token })).body.id

export const webhookBody = () => ({
  name: 'Receiver',
  url: 'https://receiver.example/hook',
  kinds: ['payment.paid'],
})

export const newWebhookId = (world: World) => newOf(world, 'webhooks', webhookBody())

/** A webhook with one delivery. */
export async function newWebhook(world: World) {
  const webhook = await newWebhookId(world)
  const { api, owner, site } = world
  const path = `/api/sites/${site.id}/webhooks/${webhook}/test`
  return { webhook, delivery: (await api.call('POST', path, { token: owner.token })).body.id }
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

export const newAlert = (world: World) => newOf(world, 'alerts', alertBody())
