import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PathProxy {
  port: number
  /** Sends requests on to this address, without the path. */
  target: string
  close(): void
}

/** A reverse proxy that serves a service below a path, as many operators do. Everything else is 404. */
export async function startPathProxy(path: string): Promise<PathProxy> {
  const server = createServer((incoming, outgoing) => {
    const url = incoming.url!
    if (!url.startsWith(`${path}/`)) return outgoing.writeHead(404).end()
    const { method, headers } = incoming
    const onward = request(proxy.target + url.slice(path.length), { method, headers }, answer => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: PathProxy = {
    port: (server.address() as AddressInfo).port,
    target: '',
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return proxy
}
