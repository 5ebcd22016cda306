import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createTeam, createUser, findTeamNamed } from '../../src/access/teams/accounts.ts'
import { SCOPES } from '../../src/access/teams/caller.ts'
import { createToken } from '../../src/access/teams/create-token.ts'
import { projectRoot } from '../../src/platform/config/config.ts'
import { SETTINGS } from '../../src/platform/config/settings.ts'
import { connectDb, type Db } from '../../src/platform/db/connect.ts'
import { checkDatabase } from '../../src/platform/db/migrate.ts'
import { query } from '../../src/platform/db/query.ts'
import { databaseUrl, redisSocketPathFor } from '../../src/platform/embedded/paths.ts'
import { mastersOf, type RedisClient } from '../../src/platform/redis/client.ts'
import { connectPatientRedis, whenReady } from '../../src/platform/redis/connect-redis.ts'
import { createLog } from '../../src/platform/runtime/log.ts'
import { answersAt, freePort, type StartedProcess, startProgram } from './child.ts'
import { onEnd } from './command.ts'
import { memoryOf, type Others } from './processes.ts'
import { figure } from './table.ts'

const PRIMARY = join(projectRoot, 'dist/workers/primary.js')
const TEAM = 'Benchmark'
const OWNER = 'benchmark@localhost'
/** The seeded site that is measured. */
export const LARGE_SITE = 'large.bench.example'

/** Location of the data: the URL of a TimescaleDB or the folder of an embedded database, and an optional external Redis. */
export interface Target {
  /** `postgres://…`, or a folder; undefined for a temporary folder. */
  data?: string
  redis?: string
}

/** Calls the authenticated API. @throws Error for any answer except a success */
export type Api = <Answer>(method: string, path: string, body?: object) => Promise<Answer>

export interface BenchService extends StartedProcess {
  url: string
  db: Db
  redis: RedisClient
  databaseUrl: string
  redisUrl: string
  /** Whether the database is the embedded one. */
  isEmbedded: boolean
  hasOwnRedis: boolean
  /** Of the team that all measurements share; revoked at the end. */
  token: string
  api: Api
}

const isUrl = (data: string | undefined): data is string => /^postgres(ql)?:/.test(data ?? '')

/** Tells whether a target is the embedded database, which gets smaller default sizes. */
export const isEmbedded = ({ data }: Target): boolean => !isUrl(data)

/**
 * Starts all processes of the built service on a free port. They are stopped at the end; temporary folders are removed then, but
 * not a folder or database of the target.
 */
export async function startService(target: Target, settings: Record<string, string>): Promise<BenchService> {
  const given = target.data
  const isOwnFolder = given === undefined || isUrl(given)
  const dataDir = isOwnFolder ? mkdtempSync(join(tmpdir(), 'analytics-bench-')) : resolve(given)
  if (isOwnFolder) onEnd(() => rmSync(dataDir, { recursive: true, force: true }))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const started = await startProgram({
    script: PRIMARY,
    settings: {
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      ...(isUrl(given) && { DATABASE_URL: given }),
      ...(target.redis && { REDIS_URL: target.redis }),
      // Without external servers, the data folder contains the secret key too.
      ...((isUrl(given) || target.redis) && { SECRET_KEY: randomBytes(32).toString('hex') }),
      ...settings,
    },
    isReady: () => answersAt(`${url}/readyz`),
  })
  const address = isUrl(given) ? given : databaseUrl(dataDir)
  const db = connectDb(address, { max: isUrl(given) ? 6 : 2, name: 'analytics bench' })
  await checkDatabase(db)
  const redisUrl = target.redis ?? `unix://${redisSocketPathFor(dataDir)}`
  const redis = connectPatientRedis(redisUrl, createLog({ level: 'warn', role: 'bench', stderr: true }))
  await whenReady(redis, 5_000)
  const { revoke, ...account } = await openAccount(db, url)
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await revoke()
    redis.disconnect()
    await db.end({ timeout: 2 })
  }
  onEnd(close)
  return {
    ...started,
    async stop() {
      await close()
      await started.stop()
    },
    url,
    db,
    redis,
    databaseUrl: address,
    redisUrl,
    isEmbedded: !isUrl(given),
    hasOwnRedis: !target.redis,
    ...account,
  }
}

async function openAccount(
  db: Db,
  url: string,
): Promise<{ token: string; api: Api; revoke: () => Promise<void> }> {
  const [existing] = await findTeamNamed(db, { name: TEAM })
  const teamId = existing?.id ?? (await createTeam(db, { name: TEAM, plan: 'active' }, new Date()))
  const userId = await createUser(db, { teamId, email: OWNER, role: 'owner' })
  const options = { teamId, userId, name: 'benchmark', siteIds: null, expiresAt: null, scopes: [...SCOPES] }
  const { id, token } = await createToken(db, options, new Date())
  const api: Api = async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    // Columns of a long range are made for the first time.
    if (text.includes('"code":"preparing"')) return api(method, path, body)
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  return { token, api, revoke: () => api('DELETE', `/api/tokens/${id}`) }
}

/** Settings with rate limits that one caller does not reach. Reads are counted all the same, as in every service. */
export const limitsFar = Object.fromEntries(
  SETTINGS.filter(name => name.startsWith('RATE_LIMIT_')).map(name => [name, '1000000']),
)

export const FSYNC = ['always', 'everysec'] as const
export type Fsync = (typeof FSYNC)[number]

/**
 * Sets `appendfsync` when the Redis is the service's own.
 * @returns the value in use
 * @throws Error when `appendfsync` of an external Redis differs from `fsync`
 */
export async function settleRedis(service: BenchService, fsync: Fsync | undefined): Promise<string> {
  const { redis, hasOwnRedis } = service
  if (fsync && hasOwnRedis) await redis.config('SET', 'appendfsync', fsync)
  const [, found = ''] = (await redis.config('GET', 'appendfsync')) as string[]
  if (fsync && found !== fsync) throw new Error(`the Redis that was given has appendfsync ${found}`)
  return found
}

/** Process ids of the server's sessions in this database, to read their resource usage when the server is on this machine. */
export const listBackends = query<void, { pid: number }>(
  'list-backends',
  'select pid from pg_stat_activity where datname = current_database()',
)

/** Returns processes that are not children of the service but work for it. The masters of a cluster have a number each. */
export async function processesBeside(service: BenchService): Promise<Others> {
  const { db, redis } = service
  const backends = service.isEmbedded ? [] : await listBackends(db)
  const others: Others = { database: backends.map(({ pid }) => pid) }
  if (service.hasOwnRedis) return others
  const servers = await Promise.all(mastersOf(redis).map(server => server.info('server')))
  const pids = servers.map(text => Number(/^process_id:(\d+)/m.exec(text)?.[1])).sort((a, b) => a - b)
  const named = pids.map((pid, index) => [pids.length === 1 ? 'redis' : `redis ${index + 1}`, [pid]])
  return { ...others, ...Object.fromEntries(named) }
}

/** Returns a line with the memory of each process of a service and of its Redis. */
export async function memoryLine(service: BenchService): Promise<string> {
  const { database: _, ...redis } = await processesBeside(service)
  const memory = memoryOf(service.pid, redis)
  const roles = [...memory].map(
    ([role, sizes]) => `${role} ${sizes.map(({ mib }) => figure(mib)).join(' + ')}`,
  )
  return `Memory then (PSS), MiB: ${roles.join(', ')}`
}
