import { Agent, request } from 'node:http'
import { median, quantile } from './table.ts'

/** Warm-up calls before the timed calls: at least one, at most WARM_CALLS, and none starts after WARM_MS milliseconds. */
const WARM_CALLS = 5
const WARM_MS = 250

export interface Timing {
  /** Milliseconds from sending the request to the last byte of the answer. */
  median: number
  p99: number
  calls: number
}

export interface Caller {
  /**
   * Times several sequential calls after some warm-up calls.
   * @throws Error when the status of an answer is not 200
   */
  time(path: string): Promise<Timing>
  close(): void
}

/**
 * Creates a caller that times calls over one keep-alive connection.
 * @param options.calls most timed calls; fewer, but at least three, when all calls together take longer than `options.patienceMs`
 */
export function createCaller(options: {
  url: string
  token: string
  calls: number
  patienceMs: number
}): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call = (path: string) => callOnce(`${options.url}${path}`, options.token, agent)
  return {
    async time(path) {
      const startedAt = performance.now()
      const times: number[] = []
      for (let warm = 0; warm < WARM_CALLS; warm++) {
        await call(path)
        if (performance.now() - startedAt > WARM_MS) break
      }
      while (times.length < options.calls) {
        if (times.length >= 3 && performance.now() - startedAt > options.patienceMs) break
        times.push(await call(path))
      }
      return { median: median(times), p99: quantile(times, 0.99), calls: times.length }
    },
    close: () => agent.destroy(),
  }
}

function callOnce(url: string, token: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const sent = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, answer => {
      answer.resume()
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - startedAt)
        else reject(new Error(`GET ${url} answers ${answer.statusCode}`))
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
