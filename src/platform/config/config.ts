import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canHold, SECRET_KEY_ALLOWED, secretKeyIn } from './files.ts'
import { FITTING } from './machine.ts'
import { ABOUT, Environment } from './settings.ts'

export type Config = ReturnType<typeof loadConfig>

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
      const shown = isSecret(name) ? '(hidden)' : JSON.stringify(given[name])
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

/** Returns whether the value of a setting stays out of messages. */
const isSecret = (name: string): boolean =>
  ABOUT.get(Environment.shape[name as keyof Environment])?.isSecret === true

/** Returns the provider of single sign-on; undefined without one. */
function oidcOf(env: Environment) {
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
function mailOf(env: Environment) {
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
