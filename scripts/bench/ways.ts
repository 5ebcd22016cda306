import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { projectRoot } from '../../src/platform/config/config.ts'
import { createRandom } from '../random.ts'
import { until } from './calls.ts'
import { benchCommand, onEnd, withCleanup } from './command.ts'
import { deliver, subscriptionEvents } from './fill-money.ts'
import { type BenchService, limitsFar, startService, type Target } from './service.ts'
import { formatTable } from './table.ts'

// Counts the source files with functions that run for one request, in all processes: what a reader has to follow.

/** Each request is made so often: what did not run each time belongs to a timer. */
const ROUNDS = 5
/** Processes have answered when no new one has for so long. */
const QUIET_MS = 400
const PATIENCE_MS = 20_000

const { files, ...target } = benchCommand(
  'ways',
  'counts the source files that run for one request: a hit, reads, an event of the payment processor',
)
  .option('--files', 'names them as well')
  .parse()
  .opts<Target & { files?: true }>()

interface Site {
  id: string
  tracking_key: string
}

interface Built {
  lineStarts: number[]
  map: SourceMap
}
const builtFiles = new Map<string, Built>()

await withCleanup(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'analytics-coverage-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const hook = join(projectRoot, 'scripts/bench/coverage.js')
  const NODE_OPTIONS = `--import ${hook}`
  const service = await startService(target, {
    ...limitsFar,
    HTTP_WORKERS: '1',
    COVERAGE_FOLDER: folder,
    NODE_OPTIONS,
  })
  const site = await service.api<Site>('POST', '/api/sites', { domain: `${randomUUID()}.example` })
  const rows: [string, number][] = []
  for (const [way, request] of Object.entries(await waysOf(service, site))) {
    await request()
    const found = await filesOf(folder, request)
    rows.push([way, found.length])
    if (files) process.stdout.write(`${way}\n${found.map(file => `  ${file}\n`).join('')}\n`)
  }
  const cells = rows.map(([way, count]) => [way, String(count)])
  process.stdout.write(`${formatTable(['request', 'source files that run'], cells)}\n`)
})

/** Returns the requests that are followed. */
async function waysOf(service: BenchService, site: Site): Promise<Record<string, () => Promise<unknown>>> {
  const { api, db, url } = service
  const secret = `whsec_${randomBytes(24).toString('hex')}`
  const key = `/api/sites/${site.id}`
  await api('PUT', `${key}/processor`, { provider: 'stripe', webhook_secret: secret })
  const count = async () =>
    (await db<{ count: number }[]>`select count(*)::int as count from events`)[0]!.count
  const random = createRandom(1)
  let index = 0
  const hit = async () => {
    const before = await count()
    const page = { path: `/${index++ % 3}`, title: 'Page' }
    const answer = await fetch(`${url}/api/collect`, {
      method: 'POST',
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
      body: JSON.stringify({
        key: site.tracking_key,
        hostname: 'ways.example',
        url: page,
        visitor_id: randomUUID(),
      }),
    })
    if (answer.status !== 202) throw new Error(`the hit is answered ${answer.status}: ${await answer.text()}`)
    await until(async () => (await count()) > before, PATIENCE_MS, 'the hit is not stored')
  }
  const payment = () => {
    const paying = { visitorId: randomUUID(), at: new Date() }
    return deliver(service, site.id, secret, subscriptionEvents(paying, index++, random, Date.now())[0]!)
  }
  return {
    'a hit, until it is stored': hit,
    'GET /overview': () => api('GET', `${key}/overview`),
    'GET /stats/breakdown, of one path': () => api('GET', `${key}/stats/breakdown?dimension=source&path=/1`),
    'an event of the payment processor': payment,
  }
}

/** Returns the source files with functions that run whenever the request is made. */
async function filesOf(folder: string, request: () => Promise<unknown>): Promise<string[]> {
  let common: Set<string> | undefined
  for (let round = 0; round < ROUNDS; round++) {
    await filesSince(folder)
    await request()
    const found = await filesSince(folder)
    common = new Set([...(common ?? found)].filter(file => found.has(file)))
  }
  return [...common!].sort()
}

/** Returns the source files with functions that ran in any process since this was asked before. */
async function filesSince(folder: string): Promise<Set<string>> {
  const take = randomUUID()
  writeFileSync(join(folder, 'asked'), take)
  let answers: string[] = []
  for (let isQuiet = false; !isQuiet; ) {
    await sleep(QUIET_MS)
    const now = readdirSync(folder).filter(name => name.startsWith(`${take}.`))
    isQuiet = now.length > 0 && now.length === answers.length
    answers = now
  }
  const found = new Set<string>()
  for (const answer of answers) {
    const ran = JSON.parse(readFileSync(join(folder, answer), 'utf8')) as { url: string; starts: number[] }[]
    for (const { url, starts } of ran) for (const start of starts) found.add(sourceOf(url, start))
    rmSync(join(folder, answer))
  }
  return new Set([...found].filter(file => /^(src|workers)\//.test(file)))
}

/** Returns the source file of a position in a built one, relative to the root. */
function sourceOf(url: string, offset: number): string {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url
  let built = builtFiles.get(file)
  if (!built) {
    const text = readFileSync(file, 'utf8')
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
    built = { lineStarts: [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)], map }
    builtFiles.set(file, built)
  }
  const line = built.lineStarts.findLastIndex(start => start <= offset)
  const entry = built.map.findEntry(line, offset - built.lineStarts[line]!)
  return 'originalSource' in entry ? relative(projectRoot, resolve(dirname(file), entry.originalSource)) : ''
}
