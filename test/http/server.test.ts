import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createHttpServer } from '../../src/http/server.ts'
import { openWire } from '../support/wire.ts'

let close = () => {}
afterEach(() => close())

async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  options: Parameters<typeof createHttpServer>[1],
) {
  const { server } = createHttpServer(handle, options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const ok = (_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'Content-Length': '2' }).end('ok')
}

test('connections: those above the limit get 503 and are closed, even if they send nothing', async () => {
  const url = await serve(ok, { maxConnections: 2 })
  const held = [openWire(url), openWire(url)]
  for (const wire of held) {
    wire.send(GET)
    expect((await wire.answer()).status).toBe(200)
  }
  const surplus = openWire(url)
  const answer = await surplus.answer()
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'close' } })
  expect(JSON.parse(answer.body)).toMatchObject({
    code: 'unavailable',
    request_id: answer.headers['x-request-id'],
  })
  expect(await surplus.closed).toBe('')
  held[0]!.send(GET)
  expect((await held[0]!.answer()).status).toBe(200)
  for (const wire of held) wire.socket.destroy()
})

test('connections: a request on one above the limit is not handled', async () => {
  let handled = 0
  const url = await serve(
    (request, response) => {
      handled += 1
      ok(request, response)
    },
    { maxConnections: 1 },
  )
  const held = openWire(url)
  held.send(GET)
  await held.answer()
  const surplus = openWire(url)
  surplus.send(GET)
  expect((await surplus.answer()).status).toBe(503)
  await surplus.closed
  expect(handled).toBe(1)
  held.socket.destroy()
})

test('connections: a closed one makes room for another', async () => {
  const url = await serve(ok, { maxConnections: 1 })
  for (let round = 0; round < 5; round++) {
    const wire = openWire(url)
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
    { maxConnections: 9, stalledMs: 200 },
  )
  const wire = openWire(url)
  wire.socket.pause()
  wire.send(GET)
  const { req: request } = await answering
  await once(request.socket, 'close')
  expect(request.socket.bytesWritten).toBeGreaterThan(0)
  wire.socket.destroy()
})

test('slow senders: a request that stops in the middle gets 408', async () => {
  const url = await serve(request => void request.resume(), { maxConnections: 9, stalledMs: 200 })
  const wire = openWire(url)
  wire.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc')
  const answer = await wire.answer()
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([408, 'request_timeout'])
  expect(await wire.closed).toBe('')
})
