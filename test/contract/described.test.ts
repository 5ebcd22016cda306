// @module-tag full

import { randomUUID } from 'node:crypto'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plan } from '../../src/access/teams/caller.ts'
import { generateToken } from '../../src/access/teams/token-format.ts'
import { routes } from '../../src/http/api/routes.ts'
import { createApp } from '../../src/http/app.ts'
import { describeApi } from '../../src/http/openapi/document.ts'
import { FRAME_PATH, PAGE_PATHS, REPLAY_FRAME_PATH, UNSUBSCRIBE_PATH } from '../../src/http/web/page-paths.ts'
import type { Hit } from '../../src/ingestion/hit.ts'
import { storeChunk } from '../../src/ingestion/replays/store-chunk.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { identityPictureUrl } from '../../src/stats/identity/identity-pictures.ts'
import { newShareSecret } from '../../src/stats/sharing/credentials.ts'
import { replayJob } from '../ingestion/replays/chunks.ts'
import { type Api, startApi } from '../support/api.ts'
import { type SignedIn, signIn } from '../support/browser-session.ts'
import { createDocumented, operationsOf } from '../support/documented.ts'
import { enrichedHit } from '../support/hits.ts'
import { startIngestApi } from '../support/ingest-api.ts'
import { PASSWORD } from '../support/log-in.ts'
import type { TestSite } from '../support/sites.ts'
import { type Answered, type Asked, connect, processor, type World } from './exercise-steps.ts'
import { exercises } from './exercises.ts'

const document = describeApi('http://127.0.0.1:3000')
const operations = operationsOf(document)
const documented = createDocumented(document)

/** Passkeys need a host with a name. */
const ORIGIN = 'http://localhost:3000'

type Part = Api & { ingestUrl: string; stop(): Promise<void> }

let world: World
let whole: Part
/** The same without its database. */
let broken: Part
/** Of the same team as the site of the world; nothing of that site is known here. */
let otherSite: TestSite
/** Of another team. */
let stranger: SignedIn

beforeAll(async () => {
  ;[whole, broken] = await Promise.all([startPart(), startPart()])
  await broken.services.db.end()
  // What needs neither token nor session asks Redis first.
  broken.services.redis.disconnect()
  const owner = await whole.member()
  const site = await whole.site(owner, { domain: 'shop.example' })
  const [member, viewer, reader, writer, errorId] = await Promise.all([
    whole.member({ teamId: owner.teamId, role: 'member' }),
    whole.member({ teamId: owner.teamId, role: 'viewer' }),
    whole.token(owner, { scopes: ['read'] }),
    whole.token(owner, { scopes: ['write'] }),
    storeVisit(site),
  ])
  otherSite = await whole.site(owner)
  stranger = await signIn(whole)
  const person = await signIn(whole, { password: PASSWORD })
  world = { api: whole, person, owner, member, viewer, reader, writer, site, errorId }
  await connect(world)
})
afterAll(() => Promise.all([whole?.stop(), broken?.stop()]))

/** While set, the time for both parts: two requests then fall into one window of a rate limit. Unix milliseconds. */
let stoppedAt: number | undefined

async function startPart(): Promise<Part> {
  const now = () => new Date(stoppedAt ?? Date.now())
  const api = await startApi({ config: { baseUrl: ORIGIN }, now })
  const ingest = await startIngestApi(api.services, api.services.config.redisUrl!)
  const stop = async () => {
    await ingest.close()
    await api.close()
  }
  return { ...api, ingestUrl: ingest.url, stop }
}

/** A visit of today with hits of every kind. @returns the id of the error that occurred in it */
async function storeVisit(site: TestSite): Promise<string> {
  const { db } = whole.services
  const visitor = { visitorId: randomUUID(), userAgent: FIREFOX, url: '/pricing', title: 'Pricing' }
  const at = Date.now() - 1_000
  const hit = (ms: number, type: Hit['type'], fields: Partial<Hit> = {}) =>
    enrichedHit(site, at + ms, { ...visitor, type, ...fields })
  const error = hit(3, 'error', { error: { name: 'TypeError', message: 'x' } })
  await storeHits(db, 0, [
    hit(0, 'pageview'),
    hit(1, 'event', { name: 'signup', props: { plan: 'team' } }),
    hit(2, 'identify', { identity: { identifier: 'user-1', name: 'Ada' } }),
    error,
    hit(4, 'engagement', { scroll: 80, engagedMs: 500 }),
    hit(4, 'web_vitals', { vitals: { id: randomUUID(), lcp: 900, inp: 600, cls: 9, inpTarget: '#buy' } }),
    hit(5, 'button', { name: 'button', props: { selector: '#buy' } }),
  ])
  await storeChunk(db, replayJob(site, at + 5, { visitorId: visitor.visitorId }))
  return error.errorId!
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const isIngested = (path: string) =>
  /^\/(api\/(collect|event|engage|identify|web-vitals|replay)|js\/(script|vitals|replay)\.js)$/.test(path)

/** Asks one operation of a part, and checks that the answer is described. */
async function ask(part: Part, operation: string, asked: Asked = {}): Promise<Answered> {
  const [method, template] = operation.split(' ') as [string, string]
  const fields: Record<string, string> = {
    siteKey: world.site.id,
    siteId: world.site.id,
    domain: 'a.example',
    ...pictureAddress(part),
    ...asked.path,
  }
  const path = template.replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? randomUUID())
  const url = (isIngested(template) ? part.ingestUrl : part.url) + path
  const body =
    typeof asked.body === 'object' ? JSON.stringify(asked.body) : (asked.body as string | undefined)
  const token = 'token' in asked ? asked.token : world.owner.token
  const response = await fetch(asked.query ? `${url}?${asked.query}` : url, {
    method,
    redirect: 'manual',
    headers: {
      'User-Agent': 'curl/8.0',
      ...(isPersonal(operation) && !('token' in asked)
        ? world.person.headers
        : token !== undefined && !isOpen(operation) && { Authorization: `Bearer ${token}` }),
      ...(template.includes('/webhook/') && { 'Stripe-Signature': signatureOf(body ?? '') }),
      ...asked.headers,
    },
    ...(body !== undefined && { body }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  documented.expectAnswer(operation, response, bytes)
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(bytes.toString()) : undefined,
  }
}

/** Asks an operation; what it finds by an id is unknown at another site and to another team, and `x` is no id of anything. */
async function askOfOwn(operation: string, asked: Asked = {}): Promise<Answered> {
  const { siteKey: _siteKey, kind: _kind, number: _number, ...ids } = asked.path ?? {}
  const field = Object.keys(ids).at(-1)
  const unknown: Asked[] = []
  if (field !== undefined && !isOpen(operation)) {
    const isOfSite = operation.includes('{siteKey}')
    const elsewhere = { path: { ...asked.path, siteKey: otherSite.id } }
    unknown.push({ ...asked, ...(isOfSite ? elsewhere : { token: undefined, headers: stranger.headers }) })
    // Of a login, it is not valid.
    if (!operation.includes('/account/')) unknown.push({ ...asked, path: { ...asked.path, [field]: 'x' } })
  }
  const statuses: number[] = []
  for (const each of unknown) statuses.push((await ask(whole, operation, each)).status)
  const answer = await ask(whole, operation, asked)
  if (answer.status < 300) expect(statuses).toEqual(statuses.map(() => 404))
  return answer
}

/** A valid address of a picture; of the one who it is of nothing is known. */
function pictureAddress({ services: { config } }: Part): Record<string, string> {
  const depicted = { visitorId: randomUUID(), siteNo: 1, identifier: 'a', avatar: 'https://a.example/a.png' }
  const [picture, visitor] = identityPictureUrl(config, depicted).split('/').reverse()
  return { visitor: visitor!, picture: picture! }
}

const signatureOf = (payload: string) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret: processor.webhook_secret })

const isOpen = (operation: string) =>
  (operations.get(operation).security?.every((schemes: object) => !('token' in schemes)) ?? false) &&
  !isPersonal(operation)

const routeOf = (operation: string) =>
  routes.find(
    ({ method, path }) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}` === operation,
  )

/** Whether only a signed-in person may ask an operation: unless a token is given, it is asked with a cookie. */
const isPersonal = (operation: string) => routeOf(operation)?.isPersonal === true

/** Whether only owners and admins may ask an operation. */
const isManaged = (operation: string) =>
  String(routeOf(operation)?.refusals.forbidden).includes('owners and admins')

/** What every operation refuses, as far as it says that it does. */
async function askForRefusals(operation: string) {
  const [method, template] = operation.split(' ') as [string, string]
  const refuses = (status: number) => operations.get(operation).responses[status] !== undefined
  const isRead = method === 'GET'
  const askFor = async (status: number, asked: Asked, part = whole) => {
    if (refuses(status))
      expect([operation, (await ask(part, operation, asked)).status]).toEqual([operation, status])
  }
  if (routeOf(operation)?.isOpen) await askFor(403, { headers: { 'Sec-Fetch-Site': 'cross-site' } })
  if (!isOpen(operation)) {
    for (const token of [undefined, 'nonsense', generateToken()]) {
      const asked = { token, ...(!isRead && { body: '{' }) }
      const { status, headers, body } = await ask(whole, operation, asked)
      expect([status, headers.get('www-authenticate'), body.code]).toEqual([401, 'Bearer', 'unauthenticated'])
    }
    await askFor(403, { token: isRead ? world.writer : world.reader })
  }
  if (isRead) {
    await askFor(400, { path: { [/\{(\w+)\}/.exec(template)?.[1] ?? '']: '%' } })
  } else {
    await askFor(400, { body: '{' })
    await askFor(413, { body: ' '.repeat(1024 * 1024 + 1) })
    await askFor(415, { body: '{}', headers: { 'Content-Encoding': 'zip' } })
    await askFor(422, { body: '[]' })
  }
  if (template.includes('{siteKey}')) {
    for (const siteKey of ['unknown.example', randomUUID()]) await askFor(404, { path: { siteKey } })
    if (!isRead) await askFor(403, { token: world.viewer.token })
    if (isManaged(operation)) await askFor(403, { token: world.member.token })
    await whilePlanIs('lapsed', () => askFor(402, {}))
  }
  if (!NEEDS_REDIS_FIRST.test(template)) {
    const body = method === 'GET' ? undefined : minimalBody(template)
    await askFor(503, { token: generateToken(), body }, broken)
  }
  await askOverLimit(operation, askFor)
}

/** Their exercises ask while Redis is away. */
const NEEDS_REDIS_FIRST = /^\/api\/auth\/(oidc|passkey)/

async function whilePlanIs(plan: Plan, ask: () => Promise<void>) {
  const { db } = whole.services
  const { teamId } = world.owner
  await db`update teams set plan = ${plan} where id = ${teamId}`
  await ask()
  await db`update teams set plan = 'active' where id = ${teamId}`
}

/** A hit that reaches the database; other operations ask it for the token first. */
function minimalBody(template: string): object {
  const about = { key: randomUUID(), hostname: 'a.example', url: { path: '/' }, path: '/', page_ms: 0 }
  const hit = { ...about, name: 'a', sd: 1, time: 1, identifier: 'a' }
  if (template === '/api/shares/open') return { secret: newShareSecret() }
  return isIngested(template) ? hit : {}
}

async function askOverLimit(
  operation: string,
  askFor: (status: number, asked: Asked) => Promise<void>,
): Promise<void> {
  const { limits } = whole.services.config
  const [, endpoint = 'api'] =
    /^POST \/api\/.*?(collect|event|engage|identify|web-vitals|replay|(?<=processor\/)webhook)\b/.exec(
      operation,
    ) ?? []
  const isOfBrowsers =
    routeOf(operation)?.isOpen || /^GET \/(api\/auth\/oidc|favicons|avatars)\//.test(operation)
  const limit = isOfBrowsers ? 'browser' : (endpoint as keyof typeof limits)
  const before = limits[limit]
  const { token } = await whole.member()
  limits[limit] = 1
  stoppedAt = Date.now()
  try {
    const asked = { token, ...(!operation.startsWith('GET') && { body: {} }) }
    if (operations.get(operation).responses[429]) await ask(whole, operation, asked)
    await askFor(429, asked)
  } finally {
    stoppedAt = undefined
    limits[limit] = before
  }
}

test('described endpoints: every operation has an exercise', () => {
  expect(Object.keys(exercises).sort()).toEqual([...operations.keys()].sort())
})

test('described endpoints: every served route is described, except those that are not part of the API', () => {
  const exchange = { collect: async () => '' }
  const { stack } = createApp(whole.services, exchange).router
  const paths = stack.flatMap(({ route }) => (route ? [route.path.replace(/:(\w+)/g, '{$1}')] : []))
  const described = Object.keys(document.paths as object)
  const others = [
    ...[...PAGE_PATHS, FRAME_PATH, UNSUBSCRIBE_PATH].map(path => path.replace(/:(\w+)/g, '{$1}')),
    // Pages of frames.
    '/api/sites/{siteKey}/reports/preview.html',
    REPLAY_FRAME_PATH,
    '/api/openapi.json',
    '/docs',
    '/docs/redoc.js',
    '/mcp',
    '/web/{file}',
    '/trpc/{procedures}',
  ].sort()
  expect(paths.filter(path => !described.includes(path)).sort()).toEqual(others)
})

describe.each([...operations.keys()])('%s', operation => {
  test('gives exactly the answers that are described', async () => {
    const exercise = exercises[operation]
    expect(
      exercise,
      `add '${operation}' to test/contract/exercises.ts, with requests that bring it to each described answer`,
    ).toBeDefined()
    await askForRefusals(operation)
    await exercise!(asked => askOfOwn(operation, asked), world)
    const described = Object.keys(operations.get(operation).responses).filter(status => status !== 'default')
    expect([...documented.seen.get(operation)!].sort()).toEqual(described.sort())
  })
})
