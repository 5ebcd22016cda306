import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFastConnections, type RespondFast } from '../../../src/http/hits/fast-connections.ts'
import { accepted, type HitAnswer } from '../../../src/http/hits/hit-answers.ts'
import { createHttpServer } from '../../../src/http/server.ts'
import { deferred } from '../../support/deferred.ts'
import { runs, seeded } from '../../support/runs.ts'
import { openWire } from '../../support/wire.ts'
import { listen, wireTo } from '../listen.ts'

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
  const { server, drain } = createHttpServer(
    (request, response) => {
      seen.byNode += 1
      void answerByNode(request, response)
    },
    { maxConnections: 100, ...(isFast && { respondFast }) },
  )
  return { url: await listen(server), drain, seen }
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

/** Sends parts on a connection of their own, each in a packet. */
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

test('fast connections: usual requests are answered in turn, and the fallback gets the first other one and all that follow', async () => {
  const { url } = await serve()
  const wire = wireTo(url)
  for (const [request, body] of [
    ...['a', '', 'b'.repeat(8_000)].map(text => [hit(text), `fast ${text}`]),
    [GET, 'node GET /page '],
    [hit('b'), 'node POST /hit b'],
    [hit('c').replace('/hit', '/other'), 'node POST /other c'],
  ]) {
    wire.send(request!)
    const { status, body: read } = await wire.answer()
    expect([status, read]).toEqual([body!.startsWith('fast') ? 202 : 200, body])
  }
  expect(await bodiesOf(url, [hit('b').replace('/hit', '/other')], 1)).toEqual(['node POST /other b'])
})

test.each([
  ['two packets is waited for', [-10], 'fast'],
  ['more packets goes to the fallback', [-10, -3], 'node POST /hit'],
])('fast connections: a request in %s', async (_, cuts, reader) => {
  const { url } = await serve()
  const text = hit('0123456789')
  const wire = wireTo(url)
  for (const [index, start] of [0, ...cuts].entries()) {
    wire.send(text.slice(start, cuts[index] ?? text.length))
    await turn()
    await turn()
  }
  expect((await wire.answer()).body).toBe(`${reader} 0123456789`)
})

test('fast connections: a client that does not read its answers is no longer read from', async () => {
  const large = 'x'.repeat(1_000_000)
  const { url, seen } = await serve({ respond: async () => answerOf(large) })
  const wire = wireTo(url)
  wire.socket.pause()
  for (let count = 1; seen.byNode === 0; count++) {
    expect(count).toBeLessThan(100)
    wire.send(hit('a'))
    await expect.poll(() => seen.byFast + seen.byNode, { interval: 1 }).toBe(count)
  }
  expect(seen.byFast).toBeGreaterThan(0)
})

test('fast connections: a request without an answer, and one without an end, close their connection', async () => {
  const { url } = await serve({ respond: async () => undefined })
  const [wire, cut] = [wireTo(url), wireTo(url)]
  wire.send(hit('a'))
  cut.socket.end(hit('abc').slice(0, -1))
  expect([await wire.closed, await cut.closed]).toEqual(['', ''])
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
  const url = await listen(createServer(socket => fast.serve(socket)))
  const [partly, silent] = [wireTo(url), wireTo(url)]
  const text = hit('0123456789').slice(0, -1)
  partly.send(text)
  await expect.poll(() => handedOver.length).toBe(2)
  silent.send('late')
  expect((await Promise.all(handedOver)).sort()).toEqual([text, 'late'])
})

test('fast connections: requests that do not wait for answers are answered in their order', async () => {
  const { promise: held, resolve: release } = deferred()
  const { url } = await serve({ held })
  const wire = wireTo(url)
  wire.send(hit('a'))
  await turn()
  wire.send(hit('b'))
  await turn()
  wire.send(`${hit('c')}${GET}${hit('d')}`)
  release()
  const bodies: string[] = []
  for (let count = 0; count < 5; count++) bodies.push((await wire.answer()).body)
  const read = bodies.map(body => body.replace(/^(fast|node POST \/hit) /, ''))
  expect(read).toEqual(['a', 'b', 'c', 'node GET /page ', 'd'])
})

test('fast connections: a client that ends its side gets its answers, and the connection closes', async () => {
  const { promise: held, resolve: release } = deferred()
  const { url, seen } = await serve({ held })
  const [one, two] = [wireTo(url), wireTo(url)]
  one.socket.end(hit('a'))
  two.send(hit('a'))
  await expect.poll(() => seen.byFast).toBe(2)
  two.send(hit('b'))
  await turn()
  two.socket.end()
  await turn()
  release()
  const bodies = [await one.answer(), await two.answer(), await two.answer()].map(({ body }) => body)
  expect(bodies).toEqual(['fast a', 'fast a', 'fast b'])
  expect([await one.closed, await two.closed]).toEqual(['', ''])
})

test('fast connections: a server that stops answers one more request and says that the connection ends', {
  tags: ['full'],
}, async () => {
  const { url, drain } = await serve()
  const [used, idle] = [wireTo(url), wireTo(url)]
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
  const [fast, node] = [await serve(), await serve({ isFast: false })]
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
    { numRuns: runs(60), seed: seeded(60) },
  )
})
