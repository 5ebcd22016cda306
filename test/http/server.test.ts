import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { discardBody } from '../../src/http/body.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { listen, wireTo } from './listen.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

const serve = (handle: Handle, options: Parameters<typeof createHttpServer>[1]) =>
  listen(createHttpServer(handle, options).server)

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const ok = (_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'Content-Length': '2' }).end('ok')
}

test('connections: those above the limit get 503 and are closed, even if they send nothing', async () => {
  let handled = 0
  const count: Handle = (request, response) => {
    handled += 1
    ok(request, response)
  }
  const url = await serve(count, { maxConnections: 2 })
  const held = [wireTo(url), wireTo(url)]
  for (const wire of held) {
    wire.send(GET)
    expect((await wire.answer()).status).toBe(200)
  }
  for (const sent of ['', GET]) {
    const surplus = wireTo(url)
    surplus.send(sent)
    const answer = await surplus.answer()
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'close' } })
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'unavailable',
      request_id: answer.headers['x-request-id'],
    })
    expect(await surplus.closed).toBe('')
  }
  expect(handled).toBe(2)
  held[0]!.send(GET)
  expect((await held[0]!.answer()).status).toBe(200)
})

test('connections: a closed one makes room for another', async () => {
  const url = await serve(ok, { maxConnections: 1 })
  for (let round = 0; round < 5; round++) {
    const wire = wireTo(url)
    wire.send(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect((await wire.answer()).status).toBe(200)
    await wire.closed
  }
})

test('slow readers: a response that is not read ends its connection', async () => {
  let answered!: (response: ServerResponse) => void
  const answering = new Promise<ServerResponse>(resolve => {
    answered = resolve
  })
  const url = await serve(
    (_request, response) => {
      response.end(Buffer.alloc(64 * 1024 * 1024))
      answered(response)
    },
    { maxConnections: 9, stalledMs: 1000 },
  )
  const wire = wireTo(url)
  wire.socket.pause()
  wire.send(GET)
  const { req: request } = await answering
  await once(request.socket, 'close')
  expect(request.socket.bytesWritten).toBeGreaterThan(0)
})

test('slow readers: a client that reads slowly keeps its connection', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024)
  const url = await serve((_request, response) => void response.end(body), {
    maxConnections: 9,
    stalledMs: 1000,
  })
  const { socket, send } = wireTo(url)
  const startedAt = performance.now()
  let read = 0
  socket.on('data', ({ length }) => {
    read += length
    socket.pause()
    setTimeout(() => socket.resume(), 5)
  })
  send('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await once(socket, 'close')
  expect(read).toBeGreaterThan(body.length)
  expect(performance.now() - startedAt).toBeGreaterThan(1000)
})

test('slow senders: a request that stops in the middle gets 408', async () => {
  const url = await serve(request => void request.resume(), { maxConnections: 9, stalledMs: 200 })
  const wire = wireTo(url)
  wire.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc')
  const answer = await wire.answer()
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([408, 'request_timeout'])
  expect(await wire.closed).toBe('')
})

test('stopping: a connection is answered once more and told that it ends, and one without requests is closed', {
  tags: ['full'],
}, async () => {
  const { server, drain } = createHttpServer(ok, { maxConnections: 9 })
  const url = await listen(server)
  const [used, idle] = [wireTo(url), wireTo(url)]
  for (const wire of [used, idle]) {
    wire.send(GET)
    expect((await wire.answer()).headers.connection).toBe('keep-alive')
  }
  const drained = drain()
  used.send(GET)
  expect(await used.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } })
  expect(await used.closed).toBe('')
  expect(await idle.closed).toBe('')
  await drained
})

let seen: IncomingMessage

/** A connection to a server that refuses every request without using its body. */
async function refusingWire(worth: NonNullable<Parameters<typeof discardBody>[1]>) {
  const refuse = (request: IncomingMessage, response: ServerResponse) => {
    seen = request
    discardBody(request, worth)
    response.writeHead(429, { 'Content-Length': '2' }).end('no')
  }
  return wireTo(await listen(createServer(refuse)))
}

const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`
const LONG = 30_000

test('discard body: a body within bounds, or none, leaves the connection usable', async () => {
  const wire = await refusingWire({ bytes: 100, ms: LONG })
  const bare = await refusingWire({ bytes: 0, ms: 1 })
  for (let round = 0; round < 2; round++) {
    wire.send(head(100))
    expect((await wire.answer()).status).toBe(429)
    wire.send('x'.repeat(100))
    bare.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect((await bare.answer()).status).toBe(429)
  }
})

test('discard body: a body that is late ends the connection after the response', async () => {
  const wire = await refusingWire({ bytes: 100, ms: 50 })
  wire.send(head(100))
  expect((await wire.answer()).status).toBe(429)
  expect(await wire.closed).toBe('')
})

test('discard body: a body that is too large is not read further, and the connection ends after the response', async () => {
  const wire = await refusingWire({ bytes: 100, ms: 300 })
  const size = 64 * 1024 * 1024
  wire.send(head(size))
  wire.send(Buffer.alloc(size))
  expect((await wire.answer()).status).toBe(429)
  await wire.closed
  expect(seen.socket.bytesRead).toBeLessThan(1024 * 1024)
})
