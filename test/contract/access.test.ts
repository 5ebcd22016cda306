import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { PROOF_MS } from '../../src/access/accounts/prove-again.ts'
import { type Route, routes } from '../../src/http/api/routes.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { startApi } from '../support/api.ts'
import { ofFile } from '../support/of-file.ts'
import { IS_QUICK } from '../support/runs.ts'
import { browser, type Headers, newPlace, type Place, share, token } from './callers.ts'

const api = ofFile(startApi)
beforeAll(() => {
  Object.assign(api.services.config.limits, { api: 0, browser: 0 })
})

type MakeCaller = (db: Db, place: Place) => Promise<Headers>

/** Every kind of caller; each makes a request to the same site. */
const CALLERS: Record<string, MakeCaller> = {
  nobody: async () => ({}),
  public: async () => ({}),
  stranger: async db => token(db, await newPlace(db), {}),
  elsewhere: (db, place) => token(db, place, { siteIds: [place.otherSiteId] }),
  read: (db, place) => token(db, place, { scopes: ['read'] }),
  write: (db, place) => token(db, place, { scopes: ['write'] }),
  ingest: (db, place) => token(db, place, { scopes: ['ingest'] }),
  manage: (db, place) => token(db, place, { scopes: ['admin'] }),
  viewer: (db, place) => token(db, place, { role: 'viewer' }),
  member: (db, place) => token(db, place, { role: 'member' }),
  admin: (db, place) => token(db, place, { role: 'admin' }),
  owner: (db, place) => token(db, place, {}),
  share: (db, place) => share(db, place),
  viewer·: (db, place) => browser(db, place, { role: 'viewer' }),
  member·: (db, place) => browser(db, place, { role: 'member' }),
  admin·: (db, place) => browser(db, place, { role: 'admin' }),
  owner·: (db, place) => browser(db, place),
  unproven·: (db, place) => browser(db, place, { at: new Date(Date.now() - PROOF_MS - 1_000) }),
  elsewhere·: (db, place) => browser(db, place, { role: 'member', siteIds: [place.otherSiteId] }),
  stranger·: async db => browser(db, await newPlace(db)),
  teamless·: db => browser(db, null),
  foreign·: async (db, place) => ({ ...(await browser(db, place)), 'Sec-Fetch-Site': 'cross-site' }),
}
const names = Object.keys(CALLERS)

const pathOf = (path: string, siteId: string) =>
  path.replace(':siteKey', siteId).replace(/:\w+/g, () => randomUUID())

/** The status of a request without fields: 422, 404 of a random id or success when the caller may do it. */
async function askRest({ method, path }: Route, { siteId }: Place, headers: Headers): Promise<number> {
  const body = method === 'get' ? {} : { body: '{}' }
  const answer = await fetch(api.url + pathOf(path, siteId), {
    method: method.toUpperCase(),
    headers,
    ...body,
  })
  await answer.arrayBuffer()
  return answer.status
}

async function askTrpc({ procedure, path, type }: Route, { siteId }: Place, headers: Headers) {
  const fields = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const input = Object.fromEntries(fields.map(name => [name, name === 'siteKey' ? siteId : randomUUID()]))
  const text = JSON.stringify(input)
  const isQuery = type === 'query'
  const answer = await fetch(
    `${api.url}/trpc/${procedure}${isQuery ? `?input=${encodeURIComponent(text)}` : ''}`,
    isQuery
      ? { headers }
      : { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: text },
  )
  await answer.arrayBuffer()
  return answer.status
}

const isSuccess = (status: number) => status >= 200 && status < 300

/** A caller with the site that they ask for. */
interface Position {
  place: Place
  headers: Headers
}

async function newPosition(name: string): Promise<Position> {
  const { db } = api.services
  const place = await newPlace(db, { isPublic: name === 'public' })
  return { place, headers: await CALLERS[name]!(db, place) }
}

/** One row of the table: what each caller is answered. A change that succeeds is followed by a new caller at a new site. */
async function rowOf(route: Route, positions: Record<string, Position>): Promise<string> {
  const ask = async (name: string, send: typeof askRest) => {
    const { place, headers } = positions[name]!
    const status = await send(route, place, headers)
    if (route.type === 'mutation' && isSuccess(status)) positions[name] = await newPosition(name)
    return status
  }
  const statuses = await Promise.all(
    names.map(async name => {
      const rest = await ask(name, askRest)
      if (IS_QUICK) return String(rest)
      const trpc = await ask(name, askTrpc)
      const isSame = rest === trpc || (isSuccess(rest) && isSuccess(trpc))
      return isSame ? String(rest) : `${rest}≠${trpc}`
    }),
  )
  return `${`${route.method.toUpperCase()} ${route.path}`.padEnd(WIDTH)}${cells(statuses)}`
}

const WIDTH = 64
const cells = (texts: string[]) =>
  texts.map((text, index) => text.padStart(names[index]!.length + 2)).join('')

test('access: what every route and procedure answers to every kind of caller', async () => {
  const positions: Record<string, Position> = {}
  for (const name of names) positions[name] = await newPosition(name)
  const rows: string[] = []
  for (const route of routes) rows.push(await rowOf(route, positions))
  const table = [`${''.padEnd(WIDTH)}${cells(names)}`, ...rows].join('\n')
  await expect(`${LEGEND}\n\n${table}\n`).toMatchFileSnapshot('access.txt')
})

const LEGEND = `Status of a request without fields, over REST and tRPC alike: 422 or the 404 of an unknown id where the caller may do it.
Without a mark: tokens with every scope; read, write, ingest: of an owner, with that scope alone; manage: with the scope admin alone; elsewhere: limited to another site; stranger: of another
team; share: the secret of a share with every section; public: nobody, where the site is public. With ·: browsers; unproven: of an owner who has signed in more than 12 hours ago; teamless: in no team; foreign: the cookie of an owner, sent by a page of another origin.`
