import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type SentHit, sentHits } from './senders.ts'
import { quantile } from './table.ts'

// Sends pageviews at a steady rate until SIGTERM, in a separate process so that it does not disturb the timing of reads.
// Arguments: --url http://… --key <tracking key> --rate <hits a second> --settle <ms>. Prints one JSON line at the end.

const TICK_MS = 5
const CONNECTIONS = 256

/** The printed result. Response times start after the `--settle` time, because both sides compile hot code before. */
export interface Sent {
  accepted: number
  refused: number
  perSecond: number
  p50Ms: number
  p99Ms: number
}

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    key: { type: 'string' },
    rate: { type: 'string', default: '1000' },
    settle: { type: 'string', default: '0' },
  },
})
const rate = Number(values.rate)
const settleMs = Number(values.settle)
const hits = sentHits({ key: values.key!, count: 20_000, addresses: 4_096, visitors: 10_000, seed: 2 })
const { hostname, port } = new URL(values.url!)
/** Idle connections, and (below) requests that wait for a connection. */
const idle: Socket[] = []
const waiting: ((socket: Socket) => void)[] = []
let open = 0
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
  // At most 0.1 s of hits in one burst: a long delay lowers the rate instead of causing a large burst.
  for (let burst = 0; sent < due && burst < rate / 10; burst++, sent++) {
    const sending: Promise<void> = send(hits[sent % hits.length]!).finally(() => running.delete(sending))
    running.add(sending)
  }
  await sleep(TICK_MS)
}
const seconds = (performance.now() - startedAt) / 1_000
await Promise.all(running)
for (const socket of idle) socket.destroy()
const result: Sent = {
  accepted,
  refused,
  perSecond: accepted / seconds,
  p50Ms: quantile(times, 0.5),
  p99Ms: quantile(times, 0.99),
}
process.stdout.write(`${JSON.stringify(result)}\n`)

/** Writes the request text to the socket: Node's HTTP client would use as much CPU as the service. */
async function send({ address, agent, body }: SentHit): Promise<void> {
  const sentAt = performance.now()
  const request =
    `POST /api/collect HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n` +
    `x-forwarded-for: ${address}\r\nuser-agent: ${agent}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const socket = await takeSocket()
  const status = await exchange(socket, request)
  if (status === 202) {
    accepted += 1
    if (sentAt - startedAt >= settleMs) times.push(performance.now() - sentAt)
  } else refused += 1
  const next = waiting.shift()
  if (next) next(socket.destroyed ? dial() : socket)
  else if (socket.destroyed) open -= 1
  else idle.push(socket)
}

function dial(): Socket {
  return connect(Number(port), hostname)
}

function takeSocket(): Promise<Socket> | Socket {
  const socket = idle.pop()
  if (socket) return socket
  if (open === CONNECTIONS) return new Promise(resolve => waiting.push(resolve))
  open += 1
  return dial()
}

/** @returns the status of the answer; 0 for a broken connection, which is then closed */
function exchange(socket: Socket, request: string): Promise<number> {
  return new Promise(resolve => {
    let answer = ''
    const end = (status: number) => {
      socket.removeAllListeners()
      if (status === 0) socket.destroy()
      resolve(status)
    }
    socket.on('data', chunk => {
      answer += chunk.toString('latin1')
      const length = lengthOf(answer)
      if (length !== undefined && answer.length >= length) end(Number(answer.slice(9, 12)))
    })
    socket.on('error', () => end(0))
    socket.on('close', () => end(0))
    socket.write(request)
  })
}

/** Returns the total length of an answer; undefined until its head is complete. */
function lengthOf(answer: string): number | undefined {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const body = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, headEnd))
  return headEnd + 4 + Number(body?.[1] ?? 0)
}
