import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const MOST_ATTEMPTS = 50
const AGAIN_MS = 100

interface Proxy {
  port: number
  /** Where the service is. */
  target: string
}

/**
 * Sends requests on to a service, and sends them again while it answers 503, until this process ends. The service refuses a hit when its
 * Redis is late, as on a busy machine, and a browser sends no beacon twice: tests would wait for hits that are nowhere.
 * @param path below which the service is, as many operators have it; everything else is 404
 */
export async function startPatientProxy(target = '', path = ''): Promise<Proxy> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      if (!incoming.url!.startsWith(`${path}/`)) return void outgoing.writeHead(404).end()
      const sent = await buffer(incoming)
      const answer = await sendPatiently(proxy.target + incoming.url!.slice(path.length), incoming, sent)
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    } catch {
      // The browser has gone before it had sent everything, or the service has ended.
      outgoing.destroy()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: Proxy = { port: (server.address() as AddressInfo).port, target }
  return proxy
}

async function sendPatiently(url: string, { method, headers }: IncomingMessage, sent: Buffer) {
  for (let attempt = 1; ; attempt++) {
    const onward = request(url, { method, headers }).end(sent)
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]
    if (answer.statusCode !== 503 || attempt === MOST_ATTEMPTS) return answer
    answer.resume()
    await sleep(AGAIN_MS)
  }
}
