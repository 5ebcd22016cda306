import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { databaseReadUrls, databaseUrl } from './config-database.ts'
import { exportTo } from './config-export.ts'
import { canHold, isMaxMindFile, SECRET_KEY_ALLOWED, SECRET_KEY_FORM, secretKeyIn } from './config-files.ts'
import { FITTING } from './config-machine.ts'
import { networkList } from './config-networks.ts'
import { originList } from './config-origins.ts'
import { redisUrl } from './config-redis.ts'

const count = (min: number, max: number, what: string) =>
  z
    .string()
    .regex(/^\d{1,7}$/, `a whole number from ${min} to ${max}: ${what}`)
    .transform(Number)
    .refine(n => n >= min && n <= max, `a whole number from ${min} to ${max}: ${what}`)

const url = (protocols: string[], example: string) =>
  z
    .string()
    .refine(
      value => protocols.some(protocol => value.startsWith(`${protocol}:`)) && URL.canParse(value),
      `a URL such as ${example}`,
    )

const limit = (fallback: string) =>
  count(0, 1_000_000, 'requests a minute, 0 for no limit').default(Number(fallback))

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const TRACKER_PATH_ALLOWED =
  'a path such as /t, without a slash at its end, and none that the service has: /api, /js, /trpc, /healthz, …'
const TAKEN_PATHS =
  /^\/(account|api|avatars|confirm-address|docs|embed|favicons|healthz|invite|login|mail|mcp|metrics|new|readyz|reset|setup|share|sites|team|trpc|web)(\/|$)|(^|\/)js$/

/** All settings of the service, by the name of their environment variable. */
const Environment = z.object({
  PORT: count(0, 65_535, 'the TCP port of the HTTP listener').default(3000),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, 'a host name or an IP address')
    .default('127.0.0.1'),
  BASE_URL: url(['http', 'https'], 'https://analytics.example.com')
    .transform(value => value.replace(/\/+$/, ''))
    .optional(),
  DATA_DIR: z
    .string()
    .default('./.data')
    .transform(path => resolve(path)),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_READ_URLS: databaseReadUrls.optional(),
  READ_MAX_LAG: count(1, 60, 'seconds that a server of DATABASE_READ_URLS may be behind').default(2),
  REDIS_URL: redisUrl.optional(),
  HITS_MIN_REPLICAS: count(0, 8, 'replicas of Redis that must have a hit before it is answered 202').default(
    0,
  ),
  MIN_FREE_DISK: count(0, 1_000_000, 'MiB that must be free for hits to be taken, 0 for no bound').default(
    512,
  ),
  HTTP_WORKERS: count(1, 256, 'how many HTTP workers').default(FITTING.httpWorkers),
  MAX_CONNECTIONS: count(1, 1_000_000, 'the most connections of an HTTP worker').default(5_000),
  INGEST_PROCESSES: count(0, 64, 'how many ingest processes the primary starts').default(1),
  ROLLUP_THREADS: count(1, 64, 'threads a process').default(1),
  COLUMNS_MB: count(16, 1_000_000, 'MiB that the columns of sites may take').default(FITTING.columnsMib),
  SECRET_KEY: z.string().regex(SECRET_KEY_FORM, SECRET_KEY_ALLOWED).optional(),
  GEOIP_DATABASE: z
    .string()
    .refine(isMaxMindFile, 'the path of a MaxMind-format (.mmdb) file that exists')
    .optional(),
  METRICS_TOKEN: z.string().min(16, 'at least 16 characters').optional(),
  TRUST_PROXY: count(0, 16, 'the number of trusted proxy hops').default(0),
  TRACKER_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+$/, TRACKER_PATH_ALLOWED)
    .refine(path => !TAKEN_PATHS.test(path), TRACKER_PATH_ALLOWED)
    .optional(),
  FRAME_ANCESTORS: originList.default("'none'"),
  SITES_PER_TEAM: count(0, 100_000, 'the site ceiling of a team').default(30),
  REPLAY_MB_PER_SITE_DAY: count(1, 1_000_000, 'MiB of session replays that a site may record a day').default(
    500,
  ),
  IMPORT_MAX_MB: count(1, 1_000_000, 'MiB of files of a team that may wait for their import').default(1_024),
  IMPORT_MAX_UNPACKED_MB: count(1, 1_000_000, 'MiB that an uploaded file may unpack to').optional(),
  RATE_LIMIT_COLLECT: limit('600'),
  RATE_LIMIT_EVENT: limit('600'),
  RATE_LIMIT_ENGAGE: limit('600'),
  RATE_LIMIT_IDENTIFY: limit('120'),
  RATE_LIMIT_API: limit('60'),
  RATE_LIMIT_BROWSER: limit('600'),
  RATE_LIMIT_WEBHOOK: limit('600'),
  PASSWORD_LOGIN: z.enum(['0', '1'], '0 (single sign-on alone) or 1').default('1'),
  OIDC_ISSUER: url(['https', 'http'], 'https://login.example.com').optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(100, 'at most 100 characters').default('Single sign-on'),
  OIDC_AUTO_JOIN: z
    .string()
    .regex(
      /^.+:(admin|member|viewer)$/s,
      'team:role, with the id or name of a team, and admin, member or viewer',
    )
    .optional(),
  SMTP_URL: url(['smtp', 'smtps'], 'smtp://user:password@mail.example.com:587').optional(),
  MAIL_FROM: z
    .string()
    .regex(
      /^[^\s@<>]+@[^\s@<>]+$|^[^<>\r\n]+ <[^\s@<>]+@[^\s@<>]+>$/,
      'an address, such as Analytics <analytics@example.com>',
    )
    .optional(),
  EXPORT_TO: exportTo.optional(),
  WEBHOOK_PRIVATE_NETWORKS: networkList.optional(),
  STRIPE_API_BASE: url(['http', 'https'], 'https://api.stripe.com').optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`).default('info'),
})

/** Names of all settings. */
export const SETTINGS = Object.keys(Environment.shape)

export type Config = ReturnType<typeof loadConfig>

const SECRET_SETTINGS = [
  'SECRET_KEY',
  'METRICS_TOKEN',
  'DATABASE_URL',
  'DATABASE_READ_URLS',
  'REDIS_URL',
  'OIDC_CLIENT_SECRET',
  'SMTP_URL',
]

/**
 * Reads and checks all settings of the environment.
 * @throws Error with one line for each wrong setting: its name, its value (secrets masked) and what is allowed
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env) {
  // An empty variable counts as unset, as `NAME= npm start` and env files intend.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(issue => {
      const name = String(issue.path[0])
      const shown = SECRET_SETTINGS.includes(name) ? '(hidden)' : JSON.stringify(given[name])
      return `${name} is ${shown}; allowed is ${issue.message}`
    })
    throw new Error(lines.join('\n'))
  }
  const env = parsed.data
  const embedded = env.DATABASE_URL === undefined && env.REDIS_URL === undefined
  if ((env.DATABASE_URL === undefined || env.REDIS_URL === undefined) && !canHold(env.DATA_DIR)) {
    throw new Error(
      `DATA_DIR is ${JSON.stringify(env.DATA_DIR)}; allowed is a folder, there or to be made, that can be written to`,
    )
  }
  return {
    port: env.PORT,
    host: env.HOST,
    baseUrl: env.BASE_URL ?? `http://${env.HOST.includes(':') ? `[${env.HOST}]` : env.HOST}:${env.PORT}`,
    dataDir: env.DATA_DIR,
    minFreeBytes: env.MIN_FREE_DISK * 1024 * 1024,
    /** Imports can wait, hits cannot: imports stop while hits still have as much room again. */
    importMinFreeBytes: 2 * env.MIN_FREE_DISK * 1024 * 1024,
    databaseUrl: env.DATABASE_URL,
    /** Hot standbys that reads go to. */
    databaseReadUrls: env.DATABASE_READ_URLS ?? [],
    readMaxLagMs: env.READ_MAX_LAG * 1_000,
    redisUrl: env.REDIS_URL,
    /** How many replicas of Redis must have a hit before it is answered 202. */
    hitReplicas: env.HITS_MIN_REPLICAS,
    /** Whether the defaults are those of a small machine. */
    isSmallMachine: FITTING.isSmall,
    httpWorkers: env.HTTP_WORKERS,
    maxConnections: env.MAX_CONNECTIONS,
    ingestProcesses: env.INGEST_PROCESSES,
    rollupThreads: env.ROLLUP_THREADS,
    /** Most memory of the columns of all sites, in the columns process. */
    columnBytes: env.COLUMNS_MB * 2 ** 20,
    secretKey: env.SECRET_KEY ?? generatedSecretKey(embedded, env.DATA_DIR),
    geoipDatabase: env.GEOIP_DATABASE ?? packagedCountryDatabase(),
    metricsToken: env.METRICS_TOKEN,
    trustProxy: env.TRUST_PROXY,
    trackerPath: env.TRACKER_PATH,
    /** Which pages may show shared dashboards in a frame: the sources of `frame-ancestors`. */
    frameAncestors: env.FRAME_ANCESTORS,
    sitesPerTeam: env.SITES_PER_TEAM,
    importMaxBytes: env.IMPORT_MAX_MB * 1024 * 1024,
    importMaxUnpackedBytes: (env.IMPORT_MAX_UNPACKED_MB ?? 4 * env.IMPORT_MAX_MB) * 1024 * 1024,
    replayBytesPerSiteDay: env.REPLAY_MB_PER_SITE_DAY * 1024 * 1024,
    limits: {
      collect: env.RATE_LIMIT_COLLECT,
      event: env.RATE_LIMIT_EVENT,
      engage: env.RATE_LIMIT_ENGAGE,
      'web-vitals': env.RATE_LIMIT_ENGAGE,
      replay: env.RATE_LIMIT_ENGAGE,
      identify: env.RATE_LIMIT_IDENTIFY,
      api: env.RATE_LIMIT_API,
      browser: env.RATE_LIMIT_BROWSER,
      webhook: env.RATE_LIMIT_WEBHOOK,
    },
    hasPasswords: env.PASSWORD_LOGIN === '1',
    oidc: oidcOf(env),
    mail: mailOf(env),
    /** Where the daily export goes; undefined: nowhere. */
    exportTo: env.EXPORT_TO,
    /** Private networks that webhooks of sites may be sent to; undefined for none. */
    webhookNetworks: env.WEBHOOK_PRIVATE_NETWORKS,
    stripeApiBase: env.STRIPE_API_BASE,
    logLevel: env.LOG_LEVEL,
  }
}

type Env = z.infer<typeof Environment>

/** Returns the provider of single sign-on; undefined without one. */
function oidcOf(env: Env) {
  if (env.OIDC_ISSUER === undefined) {
    if (env.PASSWORD_LOGIN === '0')
      throw new Error('PASSWORD_LOGIN is "0"; allowed is 1 while OIDC_ISSUER is not set')
    return undefined
  }
  if (env.OIDC_CLIENT_ID === undefined) {
    throw new Error('OIDC_CLIENT_ID is not set; allowed is the client id that the provider OIDC_ISSUER gave')
  }
  const [, team, role] = /^(.+):(admin|member|viewer)$/s.exec(env.OIDC_AUTO_JOIN ?? '') ?? []
  return {
    issuer: env.OIDC_ISSUER,
    clientId: env.OIDC_CLIENT_ID,
    clientSecret: env.OIDC_CLIENT_SECRET,
    name: env.OIDC_NAME,
    autoJoin: team === undefined ? undefined : { team, role: role as 'admin' | 'member' | 'viewer' },
  }
}

/** Returns how mail is sent; undefined when the service sends none. */
function mailOf(env: Env) {
  if (env.SMTP_URL === undefined) return undefined
  if (env.MAIL_FROM === undefined) {
    throw new Error(
      'MAIL_FROM is not set; allowed is the sender of the mail that SMTP_URL sends, such as analytics@example.com',
    )
  }
  return { url: env.SMTP_URL, from: env.MAIL_FROM }
}

/** Returns the environment of this process without settings and secrets, for a child that gets its settings as arguments. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !Object.hasOwn(Environment.shape, name)),
  )
}

/**
 * Returns the environment with which a child process uses the same service as its parent,
 * with the addresses of the embedded servers filled in.
 */
export function environmentFor(config: Config, addresses: { databaseUrl: string; redisUrl: string }) {
  return {
    ...process.env,
    BASE_URL: config.baseUrl,
    DATA_DIR: config.dataDir,
    DATABASE_URL: addresses.databaseUrl,
    REDIS_URL: addresses.redisUrl,
    SECRET_KEY: config.secretKey,
  }
}

/** The folder that contains package.json and sql/; the same whether this file runs from src/ or from dist/src/. */
export const projectRoot = findProjectRoot(dirname(fileURLToPath(import.meta.url)))

/** Version of the service, as its package says. */
export const VERSION: string = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).version

function findProjectRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'sql'))) return folder
    if (folder === dirname(folder)) throw new Error(`no project folder above ${start}`)
  }
}

function packagedCountryDatabase(): string {
  return fileURLToPath(
    import.meta.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'),
  )
}

function generatedSecretKey(embedded: boolean, dataDir: string): string {
  if (!embedded) {
    throw new Error(
      `SECRET_KEY is not set; allowed is ${SECRET_KEY_ALLOWED}. ` +
        'It is generated only when both DATABASE_URL and REDIS_URL are unset.',
    )
  }
  return secretKeyIn(dataDir)
}
