import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childrenOf, stillRunning } from '../support/processes.ts'
import { connectTo } from '../support/redis.ts'
import { startService, type TestService } from '../support/service.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { within } from '../support/within.ts'

let service: TestService
let site: TestSite
beforeAll(async () => {
  service = await startService()
  site = await createTestSite(service.db)
})
afterAll(() => service.close())

interface Stream {
  /** Paths of the hits that were answered 202. */
  accepted: string[]
  /** What else became of requests; a hit may be answered 503, as a busy machine's database can be slow. */
  failures: string[]
  /** Waits for the answers that are outstanding. */
  stop(): Promise<void>
}

/** Without a pause the senders take the CPU that the processes need to start and stop. */
const PAUSE_MS = 15

/** Sends hits and other requests in turn, half of the senders over connections they keep, half over new ones. */
function sendHits(url: string): Stream {
  const stream: Stream = { accepted: [], failures: [], stop }
  const agents: Agent[] = []
  let isStopped = false

  async function send(agent: Agent | false) {
    while (!isStopped) {
      const path = `/${randomUUID()}`
      const hit = await sendHit(url, path, agent)
      if (hit === 202) stream.accepted.push(path)
      else if (hit !== 503) stream.failures.push(`hit: ${hit}`)
      const health = await ask(`${url}/healthz`, agent)
      if (health !== 200) stream.failures.push(`healthz: ${health}`)
      await sleep(PAUSE_MS)
    }
  }
  const senders = Array.from({ length: 6 }, (_, index) => {
    if (index % 2 === 0) return send(false)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    agents.push(agent)
    return send(agent)
  })
  async function stop() {
    isStopped = true
    await Promise.all(senders)
    for (const agent of agents) agent.destroy()
  }
  return stream
}

const sendHit = (url: string, path: string, agent: Agent | false) =>
  ask(
    `${url}/api/collect`,
    agent,
    JSON.stringify({ key: site.key, hostname: 'example.com', url: { path }, visitor_id: randomUUID() }),
  )

/** The status of the answer, or the code of the error in its place. */
function ask(url: string, agent: Agent | false, body?: string): Promise<number | string> {
  return new Promise(resolve => {
    const sent = request(url, { method: body === undefined ? 'GET' : 'POST', agent })
    const fail = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)
    sent.on('response', response => {
      response.resume().on('error', fail)
      response.on('end', () => resolve(response.statusCode!))
    })
    sent.on('error', fail)
    sent.end(body)
  })
}

/** Waits until so many more hits were accepted than there are now. */
async function more(stream: Stream, count: number) {
  const wanted = stream.accepted.length + count
  await expect.poll(() => stream.accepted.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(wanted)
}

/** Of what was answered 202, what is not stored; and whatever is stored more than once. */
async function lostAndRepeated(accepted: string[]) {
  const rows = await service.db<{ path: string; count: number }[]>`
    select path, count(*)::int as count from events where site_no = ${site.siteNo} group by path`
  const stored = new Map(rows.map(row => [row.path, row.count]))
  return {
    lost: accepted.filter(path => !stored.has(path)).length,
    repeated: rows.filter(row => row.count > 1).length,
  }
}

/** The jobs that a killed process had at work come back when their locks have expired: this saves the wait of 15 s. */
async function endLocks() {
  const redis = await connectTo({ url: service.redisUrl })
  for (const lock of await redis.keys('bull:hits*:lock')) await redis.pexpire(lock, 1)
  redis.disconnect()
}

const workersOf = (pid: number) => childrenOf(pid, 'http.js')
const ingestOf = (pid: number) => childrenOf(pid, 'ingest.js')

test('processes: SIGUSR2 replaces every HTTP worker, and no request fails', async () => {
  const before = await workersOf(service.pid)
  expect(before).toHaveLength(2)
  const stream = sendHits(service.url)
  await more(stream, 100)
  process.kill(service.pid, 'SIGUSR2')
  await expect.poll(service.output).toContain('"msg":"rolled"')
  await more(stream, 100)
  await stream.stop()

  expect(stream.failures).toEqual([])
  const after = await workersOf(service.pid)
  expect(after).toHaveLength(2)
  expect(after.filter(pid => before.includes(pid))).toEqual([])
  await expect.poll(() => lostAndRepeated(stream.accepted)).toEqual({ lost: 0, repeated: 0 })
}, 120_000)

test('processes: killed HTTP workers are replaced while the service answers', async () => {
  const before = await workersOf(service.pid)
  // One after the other, so that in the end only replacements are left to answer.
  for (const [index, pid] of before.entries()) {
    process.kill(pid, 'SIGKILL')
    const isNew = (worker: number) => !before.includes(worker)
    await expect.poll(async () => (await workersOf(service.pid)).filter(isNew).length).toBe(index + 1)
    await expect.poll(() => sendHit(service.url, `/${randomUUID()}`, false)).toBe(202)
  }
  const stream = sendHits(service.url)
  await more(stream, 50)
  await stream.stop()
  expect(stream.failures).toEqual([])
  expect(await stillRunning([service.pid])).toEqual([service.pid])
}, 120_000)

test('processes: accepted hits are stored exactly once when the ingest process is killed', async () => {
  const [killed] = await ingestOf(service.pid)
  const stream = sendHits(service.url)
  await more(stream, 300)
  process.kill(killed!, 'SIGKILL')
  await more(stream, 300)
  await stream.stop()

  expect(stream.failures).toEqual([])
  await endLocks()
  await expect
    .poll(() => lostAndRepeated(stream.accepted), { timeout: 60_000, interval: 250 })
    .toEqual({ lost: 0, repeated: 0 })
  expect(await ingestOf(service.pid)).not.toContain(killed)
}, 120_000)

test('processes: after SIGTERM under load, the next start stores the accepted hits', async () => {
  const children = await childrenOf(service.pid)
  expect(children).toHaveLength(3)
  const stream = sendHits(service.url)
  await more(stream, 300)
  const stopped = within(10_000, service.stop())
  await expect.poll(() => stream.failures.length, { interval: 5 }).toBeGreaterThan(0)
  process.kill(service.pid, 'SIGTERM') // once more, while it drains
  await stream.stop()
  expect(await stopped).toBe(0)
  expect(await stillRunning(children)).toEqual([])
  expect(service.output()).not.toMatch(/"level":(50|60).*(stopping failed|could not finish)/)

  const next = await startService({ DATABASE_URL: service.databaseUrl, REDIS_URL: service.redisUrl })
  try {
    await expect
      .poll(() => lostAndRepeated(stream.accepted), { timeout: 60_000, interval: 250 })
      .toEqual({ lost: 0, repeated: 0 })
  } finally {
    await next.close()
  }
}, 120_000)
