import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Stripe } from 'stripe'
import { storyOf } from '../../../scripts/demo/story.ts'
import { type Answered, BASE_URL, keep, SECRET_KEY } from './fixture.ts'
import { type Known, readsOf } from './reads.ts'

// Fills a database with the code of a released version, asks that version everything, and keeps both: README.md says how to run it.

const [checkout, folder, databaseUrl] = process.argv.slice(2)
if (!folder)
  throw new Error(
    'make.ts <checkout of a version, built> <folder for the result> [<URL of an empty database>]',
  )

const DAYS = 35
/** One of so many visitors of the made-up stories is kept, and everybody who pays. */
const ONE_OF = 9
const WEBHOOK_SECRET = 'whsec_0123456789abcdef0123456789abcdef'

const dataDir = mkdtempSync(join(tmpdir(), 'analytics-of-a-version-'))
const port = 20_000 + (process.pid % 10_000)
const url = `http://127.0.0.1:${port}`
const environment = {
  PATH: process.env.PATH,
  ...{ DATA_DIR: dataDir, PORT: String(port), BASE_URL, SECRET_KEY, LOG_LEVEL: 'warn' },
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  ...Object.fromEntries(
    ['COLLECT', 'EVENT', 'ENGAGE', 'IDENTIFY', 'API', 'WEBHOOK'].map(name => [`RATE_LIMIT_${name}`, '0']),
  ),
}

/** Starts a program of the version. */
function start(program: string, args: string[] = []): ChildProcess {
  return spawn(process.execPath, [join(resolve(checkout!), 'dist', program), ...args], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

async function admin(args: string[], input = ''): Promise<Record<string, string>> {
  const child = start('scripts/admin.js', args)
  let output = ''
  child.stdout!.on('data', chunk => {
    output += chunk
  })
  child.stdin!.end(input)
  const code = await new Promise(done => child.once('close', done))
  if (code !== 0) throw new Error(`admin ${args.join(' ')} ended with ${code}`)
  return JSON.parse(output)
}

/** Starts the service; returns what stops it. */
async function serve(): Promise<() => Promise<void>> {
  const child = start('workers/primary.js')
  const ended = new Promise(done => child.once('exit', done))
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok) break
    if (child.exitCode !== null) throw new Error('the service did not start')
    await sleep(100)
  }
  return async () => {
    child.kill('SIGTERM')
    await ended
  }
}

let token = ''

/** On a busy machine reads end with 503 or 500, and are asked again. */
async function ask(path: string, request: RequestInit): Promise<Response> {
  for (;;) {
    const answer = await fetch(url + path, request)
    if (answer.status < 500) return answer
    await sleep(1_000)
  }
}

/** @throws Error for an answer that is no success */
async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await ask(path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

interface Line {
  endpoint: string
  timestamp: string
  body: { visitor_id?: string; [field: string]: unknown }
}

/** Returns a part of a story's lines, its payments and its events of Stripe. */
function tell(seed: number, hostname: string) {
  const story = storyOf({ seed, now: Date.now() - 3_600_000, days: DAYS, hostname })
  const lines: Line[] = [...story.lines.inOrder()].flatMap(bytes =>
    bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map(text => JSON.parse(text)),
  )
  const payers = new Set(story.orders.map(order => order.visitor_id))
  const isKept = ({ endpoint, body }: Line) =>
    endpoint !== 'web-vitals' &&
    (payers.has(body.visitor_id) || Number.parseInt(body.visitor_id!.slice(0, 8), 16) % ONE_OF === 0)
  return { ...story, lines: lines.filter(isKept) }
}

const importLines = (site: string, lines: object[]) =>
  admin(
    ['hits:import', '--site', site, '--file', '-'],
    lines.map(line => `${JSON.stringify(line)}\n`).join(''),
  )

async function makeSite(domain: string, timezone: string, changes: Record<string, object>) {
  const { id } = await call('POST', '/api/sites', { domain, timezone })
  for (const [path, body] of Object.entries(changes)) await call('PATCH', `/api/sites/${id}/${path}`, body)
  return call('GET', `/api/sites/${id}`)
}

const GOALS = [
  { match_type: 'event', match_value: 'signup', display_name: 'Signup', custom_props: { plan: 'team' } },
  { match_type: 'event', match_value: 'trial_start' },
  { match_type: 'event', match_value: 'order', currency: 'USD' },
  { match_type: 'page', match_value: '/docs/**', display_name: 'Documentation' },
  { match_type: 'page', match_value: '^/(pricing|signup)$', match_operator: 'matches_regex' },
  { match_type: 'scroll', match_value: '/**', scroll_threshold: 75 },
  { match_type: 'outbound' },
  { match_type: 'form', match_value: '#newsletter' },
]

/** A shop in New York with a payment processor, identified customers and errors. */
async function fillShop() {
  const site = await makeSite('shop.example', 'America/New_York', {
    'tracking-mode': { tracking_mode: 'cookie' },
    features: { track_errors: true },
  })
  for (const goal of GOALS) await call('POST', `/api/sites/${site.id}/goals`, goal)
  const { lines, events, orders } = tell(1, 'shop.example')
  const bought = lines
    .filter(({ body }) => body.name === 'signup')
    .map(line => ({
      ...line,
      body: { ...line.body, name: 'order', revenue: { amount: 12.5, currency: 'usd' } },
    }))
  const all = [...lines, ...bought].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
  await importLines('shop.example', all)
  await call('PUT', `/api/sites/${site.id}/processor`, { provider: 'stripe', webhook_secret: WEBHOOK_SECRET })
  for (const event of events) {
    const payload = JSON.stringify(event)
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET })
    await call('POST', `/api/processor/webhook/${site.id}`, event, { 'Stripe-Signature': signature })
  }
  for (const order of orders) await call('POST', `/api/sites/${site.id}/payments`, order)
  await call('DELETE', `/api/sites/${site.id}/payments`, { transaction_id: orders[0]!.transaction_id })
}

/** A magazine in Kolkata without cookies, with payments in euros, of which a late part arrives after everything was rolled up. */
async function fillMagazine() {
  const site = await makeSite('magazine.example', 'Asia/Kolkata', {
    currency: { currency: 'EUR' },
    features: { track_errors: true },
    sharing: { is_public: true },
    pin: {},
  })
  for (const goal of GOALS.filter(({ currency }) => !currency))
    await call('POST', `/api/sites/${site.id}/goals`, goal)
  await call('PUT', `/api/sites/${site.id}/identify-secret`)
  const { lines, orders } = tell(2, 'magazine.example')
  const bare = lines.map(({ body: { visitor_id: _, ...body }, ...line }) => ({ ...line, body }))
  await importLines(
    'magazine.example',
    bare.filter((_, index) => index % 20 !== 0),
  )
  await importLines('magazine.example', bare)
  for (const [index, order] of orders.entries()) {
    const flags = { refunded: index % 5 === 1, recurring: index % 2 === 0, is_free_trial: index % 7 === 3 }
    await call('POST', `/api/sites/${site.id}/payments`, {
      ...order,
      visitor_id: null,
      currency: 'EUR',
      ...flags,
    })
  }
}

/** A site whose visitors are there now, and one that is deleted. */
async function fillOthers() {
  const site = await makeSite('münchen.example', 'Europe/Berlin', {})
  const hit = { key: site.tracking_key, hostname: site.domain }
  for (let visitor = 0; visitor < 12; visitor++) {
    const headers = {
      'User-Agent': `Mozilla/5.0 (X11; Linux x86_64; rv:${130 + visitor}.0) Gecko/20100101 Firefox/${130 + visitor}.0`,
    }
    for (const path of ['/', `/page-${visitor % 3}?utm_source=letter`]) {
      await call(
        'POST',
        '/api/collect',
        { ...hit, url: { path, title: path }, referrer: 'https://news.example/a' },
        headers,
      )
    }
    await call(
      'POST',
      '/api/event',
      { ...hit, name: 'read', properties: { page: visitor % 3, isLong: true } },
      headers,
    )
    await call(
      'POST',
      '/api/engage',
      { ...hit, url: { path: '/' }, sd: 40 + visitor, time: 1_000 * visitor },
      headers,
    )
  }
  const gone = await makeSite('gone.example', 'UTC', {})
  await call('DELETE', `/api/sites/${gone.id}`)
}

async function recorded(): Promise<Answered[]> {
  const shop = await call('GET', '/api/sites/shop.example')
  const { token: limited } = await call('POST', '/api/tokens', { name: 'one site', site_ids: [shop.id] })
  const known: Known[] = []
  for (const site of await call('GET', '/api/sites')) {
    const goals = await call('GET', `/api/sites/${site.id}/goals?per_page=100`)
    const errors = await call('GET', `/api/sites/${site.id}/stats/errors?range=all`)
    known.push({ site: site.id, goals: goals.data.map(idOf), errors: errors.data.map(idOf) })
  }
  const reads = [
    ...readsOf(known, DAYS).map(path => ({ path, token })),
    ...['/api/sites', '/api/tokens', '/api/sites/magazine.example'].map(path => ({ path, token: limited })),
  ]
  const answers: Answered[] = []
  for (const read of reads) {
    const at = new Date().toISOString()
    const answer = await ask(read.path, { headers: { Authorization: `Bearer ${read.token}` } })
    answers.push({ ...read, at, status: answer.status, body: await answer.json() })
  }
  return answers
}

const idOf = ({ id }: { id: string }) => id

let stop = await serve()
const made = await admin(['bootstrap'])
token = made.token!
const { user_id: member } = await admin([
  'user:create',
  '--team',
  made.team_id!,
  '--email',
  'member@shop.example',
  '--role',
  'member',
])
await admin(['token:create', '--team', made.team_id!, '--user', member!, '--name', 'of a member'])
await fillShop()
await fillMagazine()
await fillOthers()
await admin(['rollups:backfill'])
// A start moves old weeks to the columnstore first.
await stop()
stop = await serve()
await sleep(60_000)
const answers = await recorded()
await stop()
// The service kills a database that takes longer than two seconds to close, a command waits for it.
await admin(['dead-letters:list'])
keep(folder, databaseUrl ? { databaseUrl } : { dataDir }, answers)
rmSync(dataDir, { recursive: true })
process.stdout.write(`${answers.length} answers\n`)
