import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from './service.ts'

export interface Load {
  /** Paths of the hits that were answered 202; each hit has its own. */
  accepted: Set<string>
  /** Status codes and error codes of the others, counted. */
  refused: Map<string, number>
  /** Messages of the answers with status 503, counted. */
  unavailable: Map<string, number>
}

/** A machine that is four times slower, with a core for several of these, still sends some hits a second. */
const MORE_WITHIN_MS = 60_000

/** Waits until so many more hits were accepted: a pause says nothing about what a busy machine did in it. */
export async function moreAccepted(load: Load, count: number): Promise<void> {
  const wanted = load.accepted.size + count
  await eventually(async () => load.accepted.size >= wanted, MORE_WITHIN_MS)
}

/** Waits until so many more hits were answered with that status or error. */
export async function moreRefused(load: Load, outcome: string, count: number): Promise<void> {
  const refused = () => load.refused.get(outcome) ?? 0
  const wanted = refused() + count
  await eventually(async () => refused() >= wanted, MORE_WITHIN_MS)
}

const TICK_MS = 20

/** Sends about `perSecond` hits a second, each to a path of its own, while `during` runs. */
export async function underLoad(
  options: {
    urls: string[]
    key: string
    perSecond?: number | undefined
    /** From how many addresses hits come, as a trusted proxy says. */
    senders?: number
  },
  during: (load: Load) => Promise<void>,
): Promise<Load> {
  const load: Load = { accepted: new Set(), refused: new Map(), unavailable: new Map() }
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const running = new Set<Promise<void>>()
  const perTick = Math.round(((options.perSecond ?? 150) * TICK_MS) / 1_000)
  let isOver = false
  let count = 0

  async function send(path: string) {
    const body = { key: options.key, hostname: 'example.com', url: { path } }
    const headers: Record<string, string> = options.senders
      ? { 'X-Forwarded-For': `198.51.100.${count % options.senders}` }
      : {}
    const { outcome, message } = await post(agent, options.urls[count % options.urls.length]!, body, headers)
    if (outcome === '202') load.accepted.add(path)
    else addTo(load.refused, outcome)
    if (message !== undefined) addTo(load.unavailable, message)
  }

  async function generate() {
    while (!isOver) {
      for (let index = 0; index < perTick; index++) {
        count += 1
        const sending: Promise<void> = send(`/${count}`).finally(() => running.delete(sending))
        running.add(sending)
      }
      await sleep(TICK_MS)
    }
    await Promise.all(running)
  }

  const generating = generate()
  try {
    await during(load)
  } finally {
    isOver = true
    await generating
    agent.destroy()
  }
  return load
}

const addTo = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

interface Outcome {
  outcome: string
  /** Of an answer with status 503. */
  message?: string
}

function post(agent: Agent, url: string, body: object, headers: Record<string, string>): Promise<Outcome> {
  return new Promise(resolve => {
    const fail = (error: NodeJS.ErrnoException) => resolve({ outcome: error.code ?? error.message })
    const sent = request(
      `${url}/api/collect`,
      { method: 'POST', agent, timeout: 10_000, headers },
      response => {
        let text = ''
        response.on('data', chunk => {
          text += chunk
        })
        response.on('end', () => {
          if (response.statusCode !== 503) return resolve({ outcome: String(response.statusCode) })
          const isHonest = response.headers['retry-after'] !== undefined
          resolve({
            outcome: isHonest ? '503' : '503 without Retry-After',
            message: JSON.parse(text).message,
          })
        })
        response.on('error', fail)
      },
    )
    sent.on('timeout', () => sent.destroy(Object.assign(new Error('no answer'), { code: 'NO_ANSWER' })))
    sent.on('error', fail)
    sent.end(JSON.stringify(body))
  })
}
