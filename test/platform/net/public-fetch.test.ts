import type { RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { isPublicAddress } from '../../../src/platform/net/public-addresses.ts'
import { fetchPublic, PUBLIC_INTERNET, type Reach } from '../../../src/platform/net/public-fetch.ts'
import { startLocalServer } from '../../support/local-server.ts'
import { ofFile } from '../../support/of-file.ts'

const answers: Record<string, RequestListener> = {
  '/icon': (req, res) => res.end(`icon of ${req.headers.host}`),
  '/moved': (_req, res) => res.writeHead(302, { Location: '/icon' }).end(),
  '/missing': (_req, res) => res.writeHead(404).end('no'),
  '/announced': (_req, res) => res.writeHead(200, { 'Content-Length': '1001' }).end('x'.repeat(1001)),
  '/endless': async (_req, res) => {
    while (!res.destroyed) {
      res.write('x'.repeat(100))
      await sleep(1)
    }
  },
  '/silent': () => {},
  '/upgrade': req => {
    req.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
  },
  '/slow': async (_req, res) => {
    while (!res.destroyed) {
      res.write('x')
      await sleep(100)
    }
  },
  '/cut': (_req, res) => {
    res.writeHead(200, { 'Content-Length': '100' }).write('half')
    setTimeout(() => res.destroy(), 10)
  },
}

let requests = 0
let connections = 0

const site = ofFile(() =>
  startLocalServer((req, res) => {
    requests += 1
    answers[req.url!]!(req, res)
  }),
)
beforeAll(() => {
  site.server.on('connection', () => {
    connections += 1
  })
})
beforeEach(() => {
  requests = 0
  connections = 0
})

const here: Reach = {
  resolve: async () => ['127.0.0.1'],
  isAllowed: address => address === '127.0.0.1',
  // A busy machine needs a while for an answer that is there at once.
  timeoutMs: 30_000,
  maxBytes: 1_000,
}
const hasty: Reach = { ...here, timeoutMs: 400 }
const ask = async (path: string, host = 'icons.example', reach = here) =>
  (await fetchPublic(new URL(`http://${host}:${site.port}${path}`), reach))?.toString()

test('public fetch: it returns the body, requested under the host name', async () => {
  expect(await ask('/icon')).toBe(`icon of icons.example:${site.port}`)
})

/** Only the time limit ends these; a busy machine may reach it before it has sent the request. */
const NEVER_ENDS = ['/silent', '/slow']

const NOTHING = ['/moved', '/missing', '/announced', '/endless', '/cut', '/upgrade', ...NEVER_ENDS]

test.each(NOTHING)('public fetch: %s gives nothing', async path => {
  const reach = NEVER_ENDS.includes(path) ? hasty : here
  expect(await ask(path, 'icons.example', reach)).toBeUndefined()
  expect(requests).toBeLessThanOrEqual(1)
  if (reach === here) expect(requests).toBe(1)
})

test('public fetch: the name is resolved once, and the connection uses that address', async () => {
  // A resolver that returns another address on each call.
  let asked = 0
  const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254'])
  expect(await ask('/icon', 'rebind.example', { ...here, resolve })).toContain('icon')
  expect(asked).toBe(1)
})

test('public fetch: a name is refused unless each of its addresses is allowed', async () => {
  for (const addresses of ['127.0.0.1 10.0.0.1', '10.0.0.1 127.0.0.1', '127.0.0.1 ::1', '']) {
    const resolve = async () => addresses.split(' ').filter(Boolean)
    expect(await ask('/icon', 'many.example', { ...here, resolve })).toBeUndefined()
  }
  expect(connections).toBe(0)
})

test('public fetch: a name that cannot be resolved gives nothing', async () => {
  for (const resolve of [() => Promise.reject(new Error('ENOTFOUND')), () => new Promise<string[]>(() => {})])
    expect(await ask('/icon', 'nowhere.example', { ...hasty, resolve })).toBeUndefined()
})

const LOCAL_HOSTS = [
  ...['localhost', 'localhost.', '127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '0.0.0.0', '0', '2130706433'],
  ...['0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001', '[::1]', '[::]', '[::ffff:127.0.0.1]'],
  ...['[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[fe80::1]'],
]
test.each(LOCAL_HOSTS)('public fetch: http://%s is the local machine and is not connected to', async host => {
  const internet: Reach = { ...PUBLIC_INTERNET, timeoutMs: 400, maxBytes: 1_000 }
  expect(await ask('/icon', host, internet)).toBeUndefined()
  expect(connections).toBe(0)
})

test('public fetch: a public name with a private address is not connected to', async () => {
  for (const address of ['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1', '::ffff:127.0.0.1', 'fd00::1']) {
    const reach = { ...here, resolve: async () => [address], isAllowed: isPublicAddress }
    expect(await ask('/icon', 'friendly.example', reach)).toBeUndefined()
  }
  expect(connections).toBe(0)
})

test('public fetch: https to a server without TLS gives nothing', async () => {
  expect(await fetchPublic(new URL(`https://icons.example:${site.port}/icon`), here)).toBeUndefined()
  expect(requests).toBe(0)
})
