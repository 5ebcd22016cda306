import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { FRAME_PATH, PAGE_PATHS } from '../../../src/http/web/page-paths.ts'
import { bareEnvironment, environmentFor, loadConfig } from '../../../src/platform/config/config.ts'
import { folderOfFile } from '../../support/data-dir.ts'

const folder = folderOfFile('config')

let folders = 0
const newDataDir = () => join(folder, String(folders++))

const KEY = '0123456789abcdefABCDEF'.repeat(3).slice(0, 64)
const load = (environment: NodeJS.ProcessEnv = {}) => loadConfig({ SECRET_KEY: KEY, ...environment })

const geoipFile = loadConfig({ SECRET_KEY: KEY }).geoipDatabase

function refusal(environment: NodeJS.ProcessEnv): string {
  try {
    loadConfig(environment)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it was accepted')
}

const READ_URLS = ['postgres://a:1/d', 'postgres://u:p@b/d']
const memory = Math.min(totalmem(), process.constrainedMemory() || totalmem())

test('configuration: without variables, each setting has its documented default', () => {
  const { geoipDatabase, ...config } = load()
  expect(config).toEqual({
    port: 3000,
    host: '127.0.0.1',
    baseUrl: 'http://127.0.0.1:3000',
    dataDir: resolve('.data'),
    minFreeBytes: 512 * 1024 * 1024,
    importMinFreeBytes: 1024 * 1024 * 1024,
    databaseUrl: undefined,
    databaseReadUrls: [],
    readMaxLagMs: 2_000,
    redisUrl: undefined,
    hitReplicas: 0,
    isSmallMachine: false,
    httpWorkers: availableParallelism(),
    ingestProcesses: 1,
    rollupThreads: 1,
    columnBytes: Math.min(512, Math.floor(memory / 8 / 2 ** 20)) * 2 ** 20,
    maxConnections: 5_000,
    secretKey: KEY,
    metricsToken: undefined,
    trustProxy: 0,
    frameAncestors: "'none'",
    sitesPerTeam: 30,
    importMaxBytes: 1024 * 1024 * 1024,
    importMaxUnpackedBytes: 4 * 1024 * 1024 * 1024,
    replayBytesPerSiteDay: 500 * 1024 * 1024,
    limits: {
      collect: 600,
      event: 600,
      engage: 600,
      'web-vitals': 600,
      replay: 600,
      identify: 120,
      api: 60,
      browser: 600,
      webhook: 600,
    },
    hasPasswords: true,
    logLevel: 'info',
  })
  expect(existsSync(geoipDatabase)).toBe(true)
})

test.each<[string, string, unknown]>([
  ['PORT', '0', { port: 0 }],
  ['PORT', '65535', { port: 65_535, baseUrl: 'http://127.0.0.1:65535' }],
  ['HOST', '::1', { host: '::1', baseUrl: 'http://[::1]:3000' }],
  ['HOST', 'analytics.internal', { host: 'analytics.internal', baseUrl: 'http://analytics.internal:3000' }],
  ['BASE_URL', 'https://a.example.com/', { baseUrl: 'https://a.example.com' }],
  ['DATA_DIR', 'somewhere', { dataDir: resolve('somewhere') }],
  ['MIN_FREE_DISK', '0', { minFreeBytes: 0, importMinFreeBytes: 0 }],
  ['MIN_FREE_DISK', '2048', { minFreeBytes: 2 ** 31, importMinFreeBytes: 2 ** 32 }],
  ['DATABASE_URL', 'postgresql://u:p@h/d', { databaseUrl: 'postgresql://u:p@h/d' }],
  ['REDIS_URL', 'rediss://:p@h:1', { redisUrl: 'rediss://:p@h:1' }],
  ['REDIS_URL', 'unix:///run/redis.sock', { redisUrl: 'unix:///run/redis.sock' }],
  ['HITS_MIN_REPLICAS', '1', { hitReplicas: 1 }],
  ['DATABASE_READ_URLS', 'postgres://a:1/d,postgres://u:p@b/d', { databaseReadUrls: READ_URLS }],
  ['READ_MAX_LAG', '5', { readMaxLagMs: 5_000 }],
  ['HTTP_WORKERS', '256', { httpWorkers: 256 }],
  ['MAX_CONNECTIONS', '1', { maxConnections: 1 }],
  ['INGEST_PROCESSES', '0', { ingestProcesses: 0 }],
  ['ROLLUP_THREADS', '64', { rollupThreads: 64 }],
  ['COLUMNS_MB', '30', { columnBytes: 30 * 2 ** 20 }],
  ['GEOIP_DATABASE', geoipFile, { geoipDatabase: geoipFile }],
  ['METRICS_TOKEN', 'sixteen-letters!', { metricsToken: 'sixteen-letters!' }],
  ['TRUST_PROXY', '16', { trustProxy: 16 }],
  ['TRACKER_PATH', '/t', { trackerPath: '/t' }],
  ['TRACKER_PATH', '/a-b/c.d', { trackerPath: '/a-b/c.d' }],
  ...[
    ...['*', 'https://example.com', 'https://*.example.com', 'http://localhost:3000'],
    'http://192.0.2.1:8080',
  ].map((origin): [string, string, unknown] => ['FRAME_ANCESTORS', origin, { frameAncestors: origin }]),
  ['FRAME_ANCESTORS', 'HTTPS://Bücher.example:443', { frameAncestors: 'https://xn--bcher-kva.example' }],
  [
    'FRAME_ANCESTORS',
    ' https://a.b,https://c, https://a.b\thttps://d ',
    { frameAncestors: 'https://a.b https://c https://d' },
  ],
  ['SITES_PER_TEAM', '0', { sitesPerTeam: 0 }],
  ...['COLLECT', 'EVENT', 'ENGAGE', 'IDENTIFY', 'API', 'BROWSER', 'WEBHOOK'].map(
    (name, index): [string, string, unknown] => [
      `RATE_LIMIT_${name}`,
      String(index),
      { limits: { [name.toLowerCase()]: index } },
    ],
  ),
  ['RATE_LIMIT_API', '1000000', { limits: { api: 1_000_000 } }],
  ['PASSWORD_LOGIN', '1', { hasPasswords: true }],
  ['OIDC_ISSUER', '', { hasPasswords: true }],
  ['STRIPE_API_BASE', 'http://127.0.0.1:12111', { stripeApiBase: 'http://127.0.0.1:12111' }],
  ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
])('%s may be %s', (name, value, expected) => {
  expect(load({ [name]: value })).toMatchObject(expected as object)
})

/** Page paths of the web interface, without parameters and the slash at the end. */
const PAGES = [...PAGE_PATHS, FRAME_PATH].map(path => path.replace(/[:{].*/, '').replace(/(.)\/$/, '$1'))
const WRONG_PATHS = [
  ...['t', '/', '/t/', '/a//b', '/api', '/api/x', '/trpc', '/js', '/x/js', '/a b', '/docs', '/web/x'],
  ...PAGES,
]
const WRONG_ORIGINS = [
  ...['example.com', '*.example.com', 'https://', 'https://*', 'https://a.*.example', 'https://*example.com'],
  ...['https://a.example/', 'https://a.example/page', 'https://a.example?a=b', 'https://user@a.example'],
  ...['https://a.example:99999', 'https://a.example:*', 'https://[::1]:3000', 'ftp://a.example', 'data:'],
  ...['https://example.com;script-src *', "https://example.com 'self'", 'https://example.com *'],
  ...["'none'", 'null', ' , '],
]
const RATE_LIMITS = ['EVENT', 'ENGAGE', 'IDENTIFY', 'API', 'WEBHOOK', 'BROWSER']

test.each<[name: string, values: string[], allowed: string]>([
  ['TRACKER_PATH', WRONG_PATHS, 'a path such as /t, without a slash at its end'],
  [
    'FRAME_ANCESTORS',
    WRONG_ORIGINS,
    'origins such as https://example.com or https://*.example.com, without a path, separated by spaces or commas',
  ],
  ['PORT', ['65536', ' 80', '-1', '3e3'], 'a whole number from 0 to 65535: the TCP port of the HTTP'],
  ['HOST', ['http://here'], 'a host name or an IP address'],
  ['BASE_URL', ['analytics.example.com', 'ftp://example.com'], 'a URL such as https://analytics.example.com'],
  ['MIN_FREE_DISK', ['1GB'], 'a whole number from 0 to 1000000: MiB that must be free for hits to be taken'],
  ['HTTP_WORKERS', ['0', '1.5'], 'a whole number from 1 to 256: how many HTTP workers'],
  ['MAX_CONNECTIONS', ['0'], 'a whole number from 1 to 1000000: the most connections of an HTTP worker'],
  ['INGEST_PROCESSES', ['65'], 'a whole number from 0 to 64: how many ingest processes'],
  ['ROLLUP_THREADS', ['two'], 'a whole number from 1 to 64: threads a process'],
  [
    'GEOIP_DATABASE',
    [import.meta.filename, folder, '/no/such/file.mmdb'],
    'the path of a MaxMind-format (.mmdb) file that exists',
  ],
  ['TRUST_PROXY', ['true'], 'a whole number from 0 to 16: the number of trusted proxy hops'],
  ['SITES_PER_TEAM', ['100001'], 'a whole number from 0 to 100000: the site ceiling of a team'],
  ['RATE_LIMIT_COLLECT', ['1000001'], 'a whole number from 0 to 1000000: requests a minute, 0 for no limit'],
  ...RATE_LIMITS.map((name): [string, string[], string] => [
    `RATE_LIMIT_${name}`,
    ['none'],
    'a whole number from 0 to 1000000: requests a minute',
  ]),
  ['PASSWORD_LOGIN', ['no'], '0 (single sign-on alone) or 1'],
  ['OIDC_ISSUER', ['login.example.com'], 'a URL such as https://login.example.com'],
  ['OIDC_NAME', ['x'.repeat(101)], 'at most 100 characters'],
  ['OIDC_AUTO_JOIN', ['Acme:owner'], 'team:role, with the id or name of a team, and admin, member or viewer'],
  ['MAIL_FROM', ['nobody'], 'an address, such as Analytics <analytics@example.com>'],
  ['STRIPE_API_BASE', ['api.stripe.com'], 'a URL such as https://api.stripe.com'],
  ['LOG_LEVEL', ['INFO'], 'one of fatal, error, warn, info, debug, trace, silent'],
])('a wrong %s is refused, saying what is allowed', (name, values, allowed) => {
  for (const value of values) {
    const message = refusal({ SECRET_KEY: KEY, [name]: value })
    expect(message).toContain(`${name} is ${JSON.stringify(value)}; allowed is ${allowed}`)
    expect(message).not.toContain('\n')
  }
})

test.each([
  ['SECRET_KEY', 'hunter2hunter2', '64 hex digits'],
  ['METRICS_TOKEN', 'hunter2hunter2', 'at least 16 characters'],
  ['DATABASE_URL', 'mysql://hunter2hunter2@h/d', 'a URL such as postgres://'],
  ['DATABASE_URL', 'postgres://u:hunter2@a,,b/d', 'a URL such as postgres://'],
  ['DATABASE_URL', 'postgres://u:hunter2@a,b/d?target_session_attrs=standby', 'a URL such as postgres://'],
  ['DATABASE_READ_URLS', 'postgres://u:hunter2@a,b/d', 'URLs such as postgres://'],
  ['REDIS_URL', 'hunter2hunter2', 'a URL such as redis://'],
  ['REDIS_URL', 'redis+cluster://u:hunter2@a:x,b:1', 'a URL such as redis://'],
  ['REDIS_URL', 'redis+cluster://u:hunter2@a:1/3', 'a URL such as redis://'],
  ['REDIS_URL', 'redis+sentinel://u:hunter2@a:1,b:1', 'a URL such as redis://'],
  ['SMTP_URL', 'hunter2hunter2', 'a URL such as smtp://'],
])('a wrong %s is refused without showing it', (name, value, allowed) => {
  const message = refusal({ SECRET_KEY: KEY, [name]: value })
  expect(message).toContain(`${name} is (hidden); allowed is ${allowed}`)
  expect(message).not.toContain('hunter2')
})

test.each([import.meta.filename, join(import.meta.filename, 'below'), '/dev/null'])(
  'the DATA_DIR %s is refused where something would be kept in it',
  dataDir => {
    const allowed = 'allowed is a folder, there or to be made, that can be written to'
    expect(refusal({ DATA_DIR: dataDir })).toBe(`DATA_DIR is ${JSON.stringify(dataDir)}; ${allowed}`)
    expect(refusal({ DATA_DIR: dataDir, SECRET_KEY: KEY, REDIS_URL: 'redis://h' })).toContain('DATA_DIR is')
    const servers = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h' }
    expect(load({ DATA_DIR: dataDir, ...servers })).toMatchObject({ dataDir })
  },
)

test('configuration: each of several wrong variables is named, on a line of its own', () => {
  const lines = refusal({ PORT: 'x', LOG_LEVEL: 'y', SECRET_KEY: 'z' }).split('\n')
  expect(lines.map(line => line.split(' ')[0]).sort()).toEqual(['LOG_LEVEL', 'PORT', 'SECRET_KEY'])
})

test('an empty variable counts as not set', () => {
  const names = [
    ...['PORT', 'HOST', 'BASE_URL', 'DATA_DIR', 'DATABASE_URL', 'REDIS_URL', 'HTTP_WORKERS', 'LOG_LEVEL'],
    ...['FRAME_ANCESTORS', 'GEOIP_DATABASE', 'METRICS_TOKEN', 'TRUST_PROXY', 'RATE_LIMIT_API'],
  ]
  expect(load(Object.fromEntries(names.map(name => [name, ''])))).toEqual(load())
})

test('configuration: when everything is embedded, a secret key is generated once, stays, and is private', () => {
  const dataDir = newDataDir()
  const first = loadConfig({ DATA_DIR: dataDir })
  expect(first.secretKey).toMatch(/^[0-9a-f]{64}$/)
  const file = join(dataDir, 'secret-key')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  expect(loadConfig({ DATA_DIR: dataDir, SECRET_KEY: '' }).secretKey).toBe(first.secretKey)
  expect(loadConfig({ DATA_DIR: newDataDir() }).secretKey).not.toBe(first.secretKey)
  // One that was damaged is neither used nor replaced.
  writeFileSync(file, '')
  expect(refusal({ DATA_DIR: dataDir })).toContain(`${file} is damaged`)
  expect(readFileSync(file, 'utf8')).toBe('')
})

test('a key that is given wins, and none is generated', () => {
  const dataDir = newDataDir()
  expect(loadConfig({ DATA_DIR: dataDir, SECRET_KEY: KEY }).secretKey).toBe(KEY)
  expect(existsSync(dataDir)).toBe(false)
})

test.each([
  { DATABASE_URL: 'postgres://h/d' },
  { REDIS_URL: 'redis://h' },
  { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h' },
])('configuration: %o requires a secret key', environment => {
  const dataDir = newDataDir()
  const allowed = 'SECRET_KEY is not set; allowed is 64 hex digits'
  expect(refusal({ ...environment, DATA_DIR: dataDir })).toContain(allowed)
  expect(existsSync(dataDir)).toBe(false)
})

test('a child process sees the same service, with the addresses of the embedded servers', () => {
  const config = loadConfig({ DATA_DIR: newDataDir() })
  const databaseUrl = 'postgres://postgres@localhost/postgres?host=%2Ftmp'
  const addresses = { databaseUrl, redisUrl: 'unix:///r' }
  const seen = loadConfig(environmentFor(config, addresses))
  expect(seen).toMatchObject({ ...addresses, dataDir: config.dataDir, secretKey: config.secretKey })
  expect(seen.baseUrl).toBe(config.baseUrl)
})

test('a child process that takes no settings is given none, nor secrets', () => {
  process.env.METRICS_TOKEN = 'sixteen-letters!'
  try {
    const environment = bareEnvironment()
    expect(environment.PATH).toBe(process.env.PATH)
    expect(Object.values(environment)).not.toContain('sixteen-letters!')
  } finally {
    delete process.env.METRICS_TOKEN
  }
})

test('passwords can be turned off only with single sign-on, which needs a client id', () => {
  expect(refusal({ SECRET_KEY: KEY, PASSWORD_LOGIN: '0' })).toBe(
    'PASSWORD_LOGIN is "0"; allowed is 1 while OIDC_ISSUER is not set',
  )
  const issuer = { OIDC_ISSUER: 'https://login.example.com' }
  expect(refusal({ SECRET_KEY: KEY, ...issuer })).toMatch(/^OIDC_CLIENT_ID is not set; allowed is /)
  const signOn = { ...issuer, OIDC_CLIENT_ID: 'a', PASSWORD_LOGIN: '0', OIDC_AUTO_JOIN: 'A: b:viewer' }
  const client = { issuer: issuer.OIDC_ISSUER, clientId: 'a' }
  const autoJoin = { team: 'A: b', role: 'viewer' }
  expect(load(signOn)).toMatchObject({
    hasPasswords: false,
    oidc: { ...client, clientSecret: undefined, name: 'Single sign-on', autoJoin },
  })
})

test('mail needs a server and a sender', () => {
  const url = 'smtp://user:hunter2@mail.example.com:587'
  const message = refusal({ SECRET_KEY: KEY, SMTP_URL: url })
  expect(message).toMatch(/^MAIL_FROM is not set; allowed is /)
  expect(message).not.toContain('hunter2')
  const from = 'A <a@example.com>'
  expect(load({ SMTP_URL: url, MAIL_FROM: from }).mail).toEqual({ url, from })
  expect(load({ MAIL_FROM: 'a@example.com' }).mail).toBeUndefined()
})
