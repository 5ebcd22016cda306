import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { createFastConnections, type RespondFast } from '../../../src/http/hits/fast-connections.ts'
import { accepted, type HitAnswer } from '../../../src/http/hits/hit-answers.ts'
import { createHttpServer } from '../../../src/http/server.ts'
import { runs } from '../../support/runs.ts'
import { openWire } from '../../support/wire.ts'

let close = () => {}
afterEach(() => close())

/** Answers with what was read, and by whom; `seen` counts the requests. */
async function serve({
  isFast = true,
  held = Promise.resolve(),
  respond = undefined as undefined | (() => Promise<HitAnswer | undefined>),
} = {}) {
  const seen = { byFast: 0, byNode: 0 }
  const respondFast: RespondFast = ({ path }, body) => {
    if (path !== '/hit') return undefined
    seen.byFast += 1
    const text = `fast ${body}`
    return respond ? respond() : held.then(() => answerOf(text))
  }
  const { server, closeAll, drain } = createHttpServer(
    (request, response) => {
      seen.byNode += 1
      void answerByNode(request, response)
    },
    { maxConnections: 100, ...(isFast && { respondFast }) },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => {
    closeAll()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, drain, seen }
}

const answerOf = (body: string) => accepted('request-1', undefined, [], body)

async function answerByNode(request: IncomingMessage, response: ServerResponse) {
  let body = ''
  for await (const chunk of request) body += chunk
  const text = `node ${request.method} ${request.url} ${body}`
  response.writeHead(200, { 'Content-Length': Buffer.byteLength(text) }).end(text)
}

const hit = (body: string, more = '') =>
  `POST /hit HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`
const GET = 'GET /page HTTP/1.1\r\nHost: x\r\n\r\n'

async function bodiesOf(url: string, parts: (string | Buffer)[], answers: number): Promise<string[]> {
  const wire = openWire(url)
  for (const part of parts) {
    wire.send(part)
    await turn()
  }
  const bodies: string[] = []
  for (let count = 0; count < answers; count++) bodies.push((await wire.answer()).body)
  wire.socket.destroy()
  return bodies
}

test('fast connections: usual requests are answered one after the other', async () => {
  const { url } = await serve()
  const wire = openWire(url)
  for (const body of ['a', '', 'b'.repeat(8_000)]) {
    wire.send(hit(body))
    expect(await wire.answer()).toMatchObject({ status: 202, body: `fast ${body}` })
  }
  wire.socket.destroy()
})

test('fast connections: the fallback gets the first other request and all that follow', async () => {
  const { url } = await serve()
  const wire = openWire(url)
  for (const [request, body] of [
    [hit('a'), 'fast a'],
    [GET, 'node GET /page '],
    [hit('b'), 'node POST /hit b'],
    [hit('c').replace('/hit', '/other'), 'node POST /other c'],
  ]) {
    wire.send(request!)
    expect((await wire.answer()).body).toBe(body)
  }
  wire.socket.destroy()
})

test('fast connections: a path that is not for hits goes to the fallback with its body', async () => {
  const { url } = await serve()
  expect(await bodiesOf(url, [hit('b').replace('/hit', '/other')], 1)).toEqual(['node POST /other b'])
})

test.each([
  ['two packets is waited for', [-10], 'fast'],
  ['more packets goes to the fallback', [-10, -3], 'node POST /hit'],
])('fast connections: a request in %s', async (_, cuts, reader) => {
  const { url } = await serve()
  const text = hit('0123456789')
  const wire = openWire(url)
  for (const [index, start] of [0, ...cuts].entries()) {
    wire.send(text.slice(start, cuts[index] ?? text.length))
    await turn()
    await turn()
  }
  expect((await wire.answer()).body).toBe(`${reader} 0123456789`)
  wire.socket.destroy()
})

test('fast connections: a client that does not read its answers is no longer read from', async () => {
  const large = 'x'.repeat(1_000_000)
  const { url, seen } = await serve({ respond: async () => answerOf(large) })
  const wire = openWire(url)
  wire.socket.pause()
  for (let count = 1; seen.byNode === 0; count++) {
    expect(count).toBeLessThan(100)
    wire.send(hit('a'))
    await expect.poll(() => seen.byFast + seen.byNode, { interval: 1 }).toBe(count)
  }
  expect(seen.byFast).toBeGreaterThan(0)
  wire.socket.destroy()
})

test('fast connections: a request without an answer closes its connection', async () => {
  const { url } = await serve({ respond: async () => undefined })
  const wire = openWire(url)
  wire.send(hit('a'))
  expect(await wire.closed).toBe('')
})

test('fast connections: what does not come in time is left to the fallback, with the bytes that have come', async () => {
  const handedOver: Promise<string>[] = []
  const fast = createFastConnections({
    respond: () => undefined,
    handOver: socket => {
      handedOver.push(once(socket, 'data').then(([bytes]) => String(bytes)))
    },
    isDraining: () => false,
    keepAliveMs: 60_000,
    restMs: 20,
    silentMs: 20,
  })
  const server = createServer(socket => fast.serve(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => server.close()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [partly, silent] = [openWire(url), openWire(url)]
  const text = hit('0123456789').slice(0, -1)
  partly.send(text)
  await expect.poll(() => handedOver.length).toBe(2)
  silent.send('late')
  expect((await Promise.all(handedOver)).sort()).toEqual([text, 'late'])
  partly.socket.destroy()
  silent.socket.destroy()
})

test('fast connections: requests that do not wait for answers are answered in their order', async () => {
  let release!: () => void
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const { url } = await serve({ held })
  const wire = openWire(url)
  wire.send(hit('a'))
  await turn()
  wire.send(hit('b'))
  await turn()
  wire.send(`${hit('c')}${GET}${hit('d')}`)
  release()
  const bodies: string[] = []
  for (let count = 0; count < 5; count++) bodies.push((await wire.answer()).body)
  expect(bodies.map(body => body.replace(/^(fast|node POST \/hit) /, ''))).toEqual([
    'a',
    'b',
    'c',
    'node GET /page ',
    'd',
  ])
  wire.socket.destroy()
})

test('fast connections: a client that ends its side gets its answer, and the connection closes', async () => {
  const { url } = await serve()
  const wire = openWire(url)
  wire.socket.end(hit('a'))
  expect((await wire.answer()).body).toBe('fast a')
  expect(await wire.closed).toBe('')
})

test('fast connections: requests that came before the client ended its side are answered', async () => {
  let release!: () => void
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const { url, seen } = await serve({ held })
  const wire = openWire(url)
  wire.send(hit('a'))
  await expect.poll(() => seen.byFast).toBe(1)
  wire.send(hit('b'))
  await turn()
  wire.socket.end()
  await turn()
  release()
  expect([(await wire.answer()).body, (await wire.answer()).body]).toEqual(['fast a', 'fast b'])
  expect(await wire.closed).toBe('')
})

test('fast connections: a client that ends in the middle of a request is closed without an answer', async () => {
  const { url } = await serve()
  const wire = openWire(url)
  wire.socket.end(hit('abc').slice(0, -1))
  expect(await wire.closed).toBe('')
})

test('fast connections: a server that stops answers one more request and says that the connection ends', async () => {
  const { url, drain } = await serve()
  const [used, idle] = [openWire(url), openWire(url)]
  for (const wire of [used, idle]) {
    wire.send(hit('a'))
    await wire.answer()
  }
  const drained = drain()
  used.send(hit('b'))
  expect(await used.answer()).toMatchObject({ body: 'node POST /hit b', headers: { connection: 'close' } })
  expect(await used.closed).toBe('')
  expect(await idle.closed).toBe('')
  await drained
})

const requests = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 40 }).map(body => hit(body)) },
  fc.constant(GET),
  fc.string({ maxLength: 10 }).map(body => hit(body).replace('/hit', '/other')),
  fc.string({ maxLength: 10 }).map(body => hit(body, 'Connection: keep-alive\r\n')),
  fc
    .string({ minLength: 1, maxLength: 9 })
    .filter(body => Buffer.byteLength(body) < 16)
    .map(body => {
      const size = Buffer.byteLength(body).toString(16)
      return `POST /hit HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`
    }),
)

test('fast connections: however requests are cut into packets, they are read as Node reads them', async () => {
  const fast = await serve()
  const closeFast = close
  const node = await serve({ isFast: false })
  const closeNode = close
  close = () => {
    closeFast()
    closeNode()
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(requests, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(400), { maxLength: 6 }),
      async (sent, cuts) => {
        const bytes = Buffer.from(sent.join(''))
        const at = [...new Set(cuts.filter(cut => cut > 0 && cut < bytes.length))].sort((a, b) => a - b)
        const parts = [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length))
        const [byFast, byNode] = await Promise.all(
          [fast, node].map(({ url }) => bodiesOf(url, parts, sent.length)),
        )
        expect(byFast!.map(body => body.replace(/^fast /, 'node POST /hit '))).toEqual(byNode)
      },
    ),
    { numRuns: runs(60), seed: 60 },
  )
})
