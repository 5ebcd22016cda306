import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const MOST_ATTEMPTS = 50
const AGAIN_MS = 100

/**
 * Sends requests on to a service, and sends them again while it answers 503. The service refuses a hit when its Redis is late, as on a
 * busy machine, and a browser sends no beacon twice: tests would wait for hits that are nowhere.
 * @param target where the service is
 * @returns where the proxy is, until this process ends
 */
export async function startPatientProxy(target: string): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const sent = await buffer(incoming)
      const answer = await sendPatiently(target, incoming, sent)
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    } catch {
      // The browser has gone before it had sent everything, or the service has ended.
      outgoing.destroy()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function sendPatiently(
  target: string,
  incoming: IncomingMessage,
  sent: Buffer,
): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt++) {
    const { url, method, headers } = incoming
    const onward = request(target + url, { method, headers }).end(sent)
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]
    if (answer.statusCode !== 503 || attempt === MOST_ATTEMPTS) return answer
    answer.resume()
    await sleep(AGAIN_MS)
  }
}
