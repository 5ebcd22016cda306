import { resolve } from 'node:path'
import { z } from 'zod'
import { databaseReadUrls, databaseUrl } from './database-address.ts'
import { exportTo } from './export.ts'
import { isMaxMindFile, SECRET_KEY_ALLOWED, SECRET_KEY_FORM } from './files.ts'
import { FITTING } from './machine.ts'
import { networkList } from './network-list.ts'
import { originList } from './origins.ts'
import { redisUrl } from './redis-address.ts'

interface About {
  /** What the setting does, in Markdown as a page of docs/ has it. */
  meaning: string
  /** What holds without the variable, where the schema has no default, or one that depends on the machine. */
  unset?: string
  /** Messages never show its value. */
  isSecret?: true
}

/** What docs/configuration.md says of each setting; `npm run -s docs` writes it there. */
export const ABOUT = z.registry<About>()

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

const limit = (fallback: number, meaning: string) =>
  count(0, 1_000_000, 'requests a minute, 0 for no limit').default(fallback).register(ABOUT, { meaning })

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const TRACKER_PATH_ALLOWED =
  'a path such as /t, without a slash at its end, and none that the service has: /api, /js, /trpc, /healthz, …'
const TAKEN_PATHS =
  /^\/(account|api|avatars|confirm-address|docs|embed|favicons|healthz|invite|login|mail|mcp|metrics|new|readyz|reset|setup|share|sites|team|trpc|web)(\/|$)|(^|\/)js$/

const address = {
  PORT: count(0, 65_535, 'the TCP port of the HTTP listener')
    .default(3000)
    .register(ABOUT, { meaning: 'Port of HTTP; 0 takes a free one.' }),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, 'a host name or an IP address')
    .default('127.0.0.1')
    .register(ABOUT, { meaning: 'Where HTTP listens; `0.0.0.0` for all addresses of the machine.' }),
  BASE_URL: url(['http', 'https'], 'https://analytics.example.com')
    .transform(value => value.replace(/\/+$/, ''))
    .optional()
    .register(ABOUT, {
      unset: '`http://HOST:PORT`',
      meaning:
        'The address that people use. It stands in links. With `https://` the session cookie is bound to the host and never sent in the clear.',
    }),
  TRUST_PROXY: count(0, 16, 'the number of trusted proxy hops').default(0).register(ABOUT, {
    meaning:
      'Proxies in front of the service, whose `X-Forwarded-For` is used: [behind a proxy](operations.md#behind-a-proxy).',
  }),
  MAX_CONNECTIONS: count(1, 1_000_000, 'the most connections of an HTTP worker')
    .default(5_000)
    .register(ABOUT, { meaning: 'Open connections of an HTTP worker; further ones are answered 503.' }),
  TRACKER_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+$/, TRACKER_PATH_ALLOWED)
    .refine(path => !TAKEN_PATHS.test(path), TRACKER_PATH_ALLOWED)
    .optional()
    .register(ABOUT, {
      unset: 'no second path',
      meaning:
        'A second path for the tracker and its hits: [on your own domain](tracker.md#blocked-or-on-your-own-domain).',
    }),
  FRAME_ANCESTORS: originList.default("'none'").register(ABOUT, {
    unset: 'no page',
    meaning: 'Origins whose pages may show [dashboards in frames](operations.md#dashboards-in-frames).',
  }),
}

const servers = {
  DATA_DIR: z
    .string()
    .default('./.data')
    .transform(path => resolve(path))
    .register(ABOUT, {
      unset: '`./.data`',
      meaning: 'The data of the embedded servers; the service makes it private to its user (mode 700).',
    }),
  MIN_FREE_DISK: count(0, 1_000_000, 'MiB that must be free for hits to be taken, 0 for no bound')
    .default(512)
    .register(ABOUT, {
      meaning:
        'MiB: with less free in `DATA_DIR`, hits are refused, and imports with less than twice as much.',
    }),
  DATABASE_URL: databaseUrl.optional().register(ABOUT, {
    isSecret: true,
    unset: 'the embedded TimescaleDB',
    meaning:
      'PostgreSQL 15 or newer with TimescaleDB 2.20 or newer, Community edition; or [several hosts](scaling.md#a-database-that-may-fail), or [Citus](scaling.md#citus).',
  }),
  DATABASE_READ_URLS: databaseReadUrls.optional().register(ABOUT, {
    isSecret: true,
    unset: 'no standby',
    meaning: 'Hot standbys that reads go to: [standbys](scaling.md#hot-standbys-for-reads).',
  }),
  READ_MAX_LAG: count(1, 60, 'seconds that a server of DATABASE_READ_URLS may be behind')
    .default(2)
    .register(ABOUT, {
      meaning: 'Seconds that a standby may be behind; reads go past one that is behind more.',
    }),
  REDIS_URL: redisUrl.optional().register(ABOUT, {
    isSecret: true,
    unset: 'a `redis-server` of the service',
    meaning:
      'Redis 6.2 or newer with `maxmemory-policy noeviction`; `appendfsync always` loses no hit. A cluster or Sentinels: [scaling](scaling.md#redis-that-may-fail).',
  }),
  HITS_MIN_REPLICAS: count(0, 8, 'replicas of Redis that must have a hit before it is answered 202')
    .default(0)
    .register(ABOUT, {
      meaning:
        'Replicas of Redis that must have a hit before it is answered 202: [scaling](scaling.md#redis-that-may-fail).',
    }),
  SECRET_KEY: z.string().regex(SECRET_KEY_FORM, SECRET_KEY_ALLOWED).optional().register(ABOUT, {
    isSecret: true,
    unset: 'made in `DATA_DIR` while database and Redis are embedded, else required',
    meaning:
      'Encrypts secrets and salts the ids of visitors. Keep it with the backup: it is needed at every start.',
  }),
  GEOIP_DATABASE: z
    .string()
    .refine(isMaxMindFile, 'the path of a MaxMind-format (.mmdb) file that exists')
    .optional()
    .register(ABOUT, {
      unset: 'a packaged list of countries',
      meaning: 'A file for regions and cities, too.',
    }),
}

const processes = {
  HTTP_WORKERS: count(1, 256, 'how many HTTP workers').default(FITTING.httpWorkers).register(ABOUT, {
    unset: 'one for each core; 1 on a small machine',
    meaning: 'Processes that answer hits and the API.',
  }),
  INGEST_PROCESSES: count(0, 64, 'how many ingest processes the primary starts')
    .default(1)
    .register(ABOUT, { meaning: 'Processes that store hits.' }),
  ROLLUP_THREADS: count(1, 64, 'threads a process')
    .default(1)
    .register(ABOUT, { meaning: 'Threads of each process that add up daily rollups.' }),
  COLUMNS_MB: count(16, 1_000_000, 'MiB that the columns of sites may take')
    .default(FITTING.columnsMib)
    .register(ABOUT, {
      unset: 'an eighth of the memory, at least 16 and at most 512',
      meaning:
        'MiB that the columns process may take. It counts what daily rollups do not hold: today, filters, goals, funnels.',
    }),
}

const amounts = {
  SITES_PER_TEAM: count(0, 100_000, 'the site ceiling of a team')
    .default(30)
    .register(ABOUT, { meaning: 'Most sites of a team.' }),
  REPLAY_MB_PER_SITE_DAY: count(1, 1_000_000, 'MiB of session replays that a site may record a day')
    .default(500)
    .register(ABOUT, { meaning: 'MiB of session replays that a site may record a day.' }),
  IMPORT_MAX_MB: count(1, 1_000_000, 'MiB of files of a team that may wait for their import')
    .default(1_024)
    .register(ABOUT, { meaning: 'MiB of uploaded files of a team that may wait for their import.' }),
  IMPORT_MAX_UNPACKED_MB: count(1, 1_000_000, 'MiB that an uploaded file may unpack to')
    .optional()
    .register(ABOUT, {
      unset: '4 × `IMPORT_MAX_MB`',
      meaning: 'MiB that an uploaded file may unpack to: [formats](import-formats.md).',
    }),
  RATE_LIMIT_COLLECT: limit(600, 'Pageviews a minute of an address.'),
  RATE_LIMIT_EVENT: limit(600, 'Events a minute of an address.'),
  RATE_LIMIT_ENGAGE: limit(600, 'Engagement, Web Vitals and chunks of replays a minute of an address, each.'),
  RATE_LIMIT_IDENTIFY: limit(120, 'Identifies a minute of an address.'),
  RATE_LIMIT_API: limit(60, 'Requests a minute of a token.'),
  RATE_LIMIT_BROWSER: limit(
    600,
    'Requests a minute of a signed-in person, and of an address without token and session.',
  ),
  RATE_LIMIT_WEBHOOK: limit(600, "Calls a minute of a site's payment processor."),
}

const signingIn = {
  PASSWORD_LOGIN: z
    .enum(['0', '1'], '0 (single sign-on alone) or 1')
    .default('1')
    .register(ABOUT, { meaning: '`0` leaves single sign-on alone: no passwords and no passkeys.' }),
  OIDC_ISSUER: url(['https', 'http'], 'https://login.example.com').optional().register(ABOUT, {
    unset: 'no single sign-on',
    meaning: 'Provider of [single sign-on](operations.md#single-sign-on).',
  }),
  OIDC_CLIENT_ID: z.string().optional().register(ABOUT, {
    unset: 'required with `OIDC_ISSUER`',
    meaning: 'The client that the provider knows.',
  }),
  OIDC_CLIENT_SECRET: z.string().optional().register(ABOUT, {
    isSecret: true,
    unset: 'a client without a secret',
    meaning: 'The secret of this client.',
  }),
  OIDC_NAME: z
    .string()
    .max(100, 'at most 100 characters')
    .default('Single sign-on')
    .register(ABOUT, { meaning: 'The name on the button.' }),
  OIDC_AUTO_JOIN: z
    .string()
    .regex(
      /^.+:(admin|member|viewer)$/s,
      'team:role, with the id or name of a team, and admin, member or viewer',
    )
    .optional()
    .register(ABOUT, {
      unset: 'by invitation',
      meaning: 'Team and role that everybody new of the provider gets.',
    }),
}

const outside = {
  SMTP_URL: url(['smtp', 'smtps'], 'smtp://user:password@mail.example.com:587').optional().register(ABOUT, {
    isSecret: true,
    unset: 'no mail',
    meaning: 'Server for [mail](operations.md#mail): invitations, links, changes of logins, reports, alerts.',
  }),
  MAIL_FROM: z
    .string()
    .regex(
      /^[^\s@<>]+@[^\s@<>]+$|^[^<>\r\n]+ <[^\s@<>]+@[^\s@<>]+>$/,
      'an address, such as Analytics <analytics@example.com>',
    )
    .optional()
    .register(ABOUT, { unset: 'required with `SMTP_URL`', meaning: 'Sender of the mail.' }),
  EXPORT_TO: exportTo.optional().register(ABOUT, {
    unset: 'no daily export',
    meaning: 'Where [daily Parquet files](daily-export.md) go.',
  }),
  WEBHOOK_PRIVATE_NETWORKS: networkList.optional().register(ABOUT, {
    unset: 'none',
    meaning:
      'Private networks that webhooks of sites may be sent to: [private networks](notifications.md#private-networks).',
  }),
  STRIPE_API_BASE: url(['http', 'https'], 'https://api.stripe.com')
    .optional()
    .register(ABOUT, { unset: '`https://api.stripe.com`', meaning: "Base URL of Stripe's API." }),
  METRICS_TOKEN: z.string().min(16, 'at least 16 characters').optional().register(ABOUT, {
    isSecret: true,
    unset: '`/metrics` answers on this machine only',
    meaning: 'Bearer for `/metrics`: [watch](operations.md#watch).',
  }),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .register(ABOUT, { meaning: 'Logs are JSON lines on stdout.' }),
}

/** All settings under the headings of docs/configuration.md. */
export const SETTING_GROUPS = {
  'Address and proxies': address,
  'Database, Redis and disk': servers,
  'Processes and memory': processes,
  Limits: amounts,
  'Signing in': signingIn,
  'Mail, exports, webhooks, metrics, logs': outside,
}

/** All settings of the service, by the name of their environment variable. */
export const Environment = z.object({
  ...address,
  ...servers,
  ...processes,
  ...amounts,
  ...signingIn,
  ...outside,
})

export type Environment = z.infer<typeof Environment>

/** Names of all settings. */
export const SETTINGS = Object.keys(Environment.shape) as (keyof Environment)[]
