import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type SentHit, sentHits } from './senders.ts'
import { quantile } from './table.ts'

// Sends pageviews at a steady rate until it is told to end, in a process of its own so that it disturbs no clock.
// Arguments: --url http://… --key <tracking key> --rate <hits a second>. Says one JSON line at the end.

const TICK_MS = 20

/** What it says. */
export interface Sent {
  accepted: number
  refused: number
  perSecond: number
  p50Ms: number
  p99Ms: number
}

const { values } = parseArgs({
  options: { url: { type: 'string' }, key: { type: 'string' }, rate: { type: 'string', default: '1000' } },
})
const rate = Number(values.rate)
const hits = sentHits({ key: values.key!, count: 20_000, addresses: 4_096, visitors: 10_000, seed: 2 })
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const times: number[] = []
const running = new Set<Promise<void>>()
let isOver = false
let accepted = 0
let refused = 0
process.once('SIGTERM', () => {
  isOver = true
})

const startedAt = performance.now()
let sent = 0
while (!isOver) {
  const due = (rate * (performance.now() - startedAt)) / 1_000
  // One that falls behind for long shows it in its rate, and not in a burst.
  for (let burst = 0; sent < due && burst < rate / 10; burst++, sent++) {
    const sending: Promise<void> = send(hits[sent % hits.length]!).finally(() => running.delete(sending))
    running.add(sending)
  }
  await sleep(TICK_MS)
}
const seconds = (performance.now() - startedAt) / 1_000
await Promise.all(running)
agent.destroy()
const result: Sent = {
  accepted,
  refused,
  perSecond: accepted / seconds,
  p50Ms: quantile(times, 0.5),
  p99Ms: quantile(times, 0.99),
}
process.stdout.write(`${JSON.stringify(result)}\n`)

function send({ address, agent: userAgent, body }: SentHit): Promise<void> {
  const sentAt = performance.now()
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address, 'user-agent': userAgent }
  return new Promise(resolve => {
    const fail = () => {
      refused += 1
      resolve()
    }
    const post = request(`${values.url}/api/collect`, { method: 'POST', agent, headers }, answer => {
      answer.resume()
      answer.on('error', fail)
      answer.on('end', () => {
        if (answer.statusCode !== 202) return fail()
        accepted += 1
        times.push(performance.now() - sentAt)
        resolve()
      })
    })
    post.on('error', fail)
    post.end(body)
  })
}
