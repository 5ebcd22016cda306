import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createFavicons } from '../../src/access/sites/favicons.ts'
import { createApp } from '../../src/http/app.ts'
import { type Config, loadConfig } from '../../src/platform/config/config.ts'
import { createInvalidTokens } from '../../src/platform/limits/invalid-tokens.ts'
import { createKnownTokens } from '../../src/platform/limits/known-tokens.ts'
import { createRateLimiter } from '../../src/platform/limits/rate-limit.ts'
import type { Reach } from '../../src/platform/net/public-fetch.ts'
import { connectPatientRedis, connectRedis, whenReady } from '../../src/platform/redis/connect-redis.ts'
import { exchangeMetrics } from '../../src/platform/redis/metrics-exchange.ts'
import { type Disk, NO_DISK } from '../../src/platform/runtime/disk.ts'
import type { Log } from '../../src/platform/runtime/log.ts'
import { createMetrics } from '../../src/platform/runtime/metrics.ts'
import type { Services } from '../../src/platform/services.ts'
import type { FairPool } from '../../src/platform/threads/fair-pool.ts'
import type { Pool } from '../../src/platform/threads/pool.ts'
import { createIdentityPictures } from '../../src/stats/identity/identity-pictures.ts'
import { sharedDatabase, type TestDatabase } from './database.ts'
import { inProcessPatterns } from './in-process-patterns.ts'
import { inProcessPool } from './in-process-pool.ts'
import { keptCounter } from './kept-counter.ts'
import { silentLog } from './log.ts'
import { createMember, type Member, type MemberOptions, newToken, type TokenOptions } from './member.ts'
import { testRedis } from './redis.ts'
import type { TestSite } from './sites.ts'

export type { Member } from './member.ts'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  body: any
}

export interface Api {
  url: string
  services: Services
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** A new user of a new team unless one is given, and their token. */
  member(options?: MemberOptions): Promise<Member>
  /** A new site of the member's team, with a domain of its own unless `body` names one. */
  site(member: CallOptions, body?: object): Promise<ApiSite>
  /** Another token of the same user, with every scope unless given. */
  token(member: Omit<Member, 'token'>, options?: TokenOptions): Promise<string>
  close(): Promise<void>
}

/** A site, and the answer that it was made with. */
interface ApiSite extends TestSite {
  domain: string
  timezone: string
  favicon_url: string
  tracking_key: string
  path: string
}

interface CallOptions {
  token?: string | undefined
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown
  headers?: Record<string, string>
}

/** The HTTP API on a free port, with a Redis of its own, on the database that the worker's files share unless another is given. */
export async function startApi(
  options: {
    config?: Partial<Config>
    pool?: Pool
    patterns?: FairPool
    now?: () => Date
    log?: Log
    reach?: Reach
    disk?: Disk
    /** Instead of the one that files share; closed with the API. */
    database?: TestDatabase
  } = {},
): Promise<Api> {
  const [database, redisServer] = await Promise.all([options.database ?? sharedDatabase(), testRedis()])
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: redisServer.url,
    SECRET_KEY: '0'.repeat(64),
    RATE_LIMIT_API: '0',
  }
  const log = options.log ?? silentLog
  const redis = connectRedis(redisServer.url, log)
  await whenReady(redis, 30_000)
  const now = options.now ?? (() => new Date())
  const metrics = createMetrics('test')
  const subscriber = connectPatientRedis(redisServer.url, log)
  let asked = 0
  const services: Services = {
    db: database.db,
    reads: database.db,
    counter: keptCounter(database.db),
    redis,
    log,
    config: { ...loadConfig(environment), sitesPerTeam: 1_000, ...options.config },
    rollups: options.pool ?? inProcessPool(database.db),
    patterns: options.patterns ?? inProcessPatterns(),
    limiter: createRateLimiter(redis, now),
    invalidTokens: createInvalidTokens(now),
    // Tests change rows by themselves: nothing is known of a token from one request to the next.
    knownTokens: createKnownTokens(redis, subscriber, () => (asked += 1_000)),
    pageReach: options.reach ?? nothingInReach,
    disk: options.disk ?? NO_DISK,
    metrics,
    now,
  }
  const exchange = exchangeMetrics({ redis, subscriber, registry: metrics.registry })
  const reach = options.reach ?? nothingInReach
  const favicons = createFavicons(services.db, services.now, reach)
  const pictures = createIdentityPictures(services.db, services.config.secretKey, services.now, reach)
  const server = createApp(services, exchange, favicons, pictures).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    services,
    call: (method, path, call = {}) => send(url + path, method, call),
    member: given => createMember(services, given ?? {}),
    async site({ token, headers }, body) {
      const domain = `${randomUUID()}.example`
      const options = { token, ...(headers && { headers }), body: { domain, ...body } }
      const made = await send(`${url}/api/sites`, 'POST', options)
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      const { id, tracking_key: key } = made.body
      const [row] = await services.db<{ siteNo: number }[]>`
        select site_no as "siteNo" from sites where id = ${id}`
      return { ...made.body, siteNo: row!.siteNo, key, path: `/api/sites/${id}` }
    },
    token: async (member, given) => (await newToken(services, member, given)).token,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      redis.disconnect()
      subscriber.disconnect()
      await Promise.all([database.close(), redisServer.close()])
    },
  }
}

/** No test asks a name server or leaves this machine. */
const nothingInReach: Reach = { resolve: async () => [], isAllowed: () => false, timeoutMs: 0, maxBytes: 0 }

async function send(url: string, method: string, { token, body, headers }: CallOptions): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && !isRaw && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}
