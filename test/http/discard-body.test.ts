import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { discardBody } from '../../src/http/body.ts'
import { openWire } from '../support/wire.ts'

type Worth = NonNullable<Parameters<typeof discardBody>[1]>

let close = () => {}
let seen: IncomingMessage
afterEach(() => close())

/** A server that refuses every request without using its body. */
async function refusingServer(worth: Worth) {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    seen = request
    discardBody(request, worth)
    response.writeHead(429, { 'Content-Length': '2' }).end('no')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`
const LONG = 30_000

test('discard body: a body within bounds leaves the connection usable', async () => {
  const wire = openWire(await refusingServer({ bytes: 100, ms: LONG }))
  for (let round = 0; round < 2; round++) {
    wire.send(head(100))
    expect((await wire.answer()).status).toBe(429)
    wire.send('x'.repeat(100))
  }
  wire.socket.destroy()
})

test('discard body: a request without a body leaves the connection usable', async () => {
  const wire = openWire(await refusingServer({ bytes: 0, ms: 1 }))
  for (let round = 0; round < 2; round++) {
    wire.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect((await wire.answer()).status).toBe(429)
  }
  wire.socket.destroy()
})

test('discard body: a body that is late ends the connection after the response', async () => {
  const wire = openWire(await refusingServer({ bytes: 100, ms: 50 }))
  wire.send(head(100))
  expect((await wire.answer()).status).toBe(429)
  expect(await wire.closed).toBe('')
})

test('discard body: a body that is too large is not read further, and the connection ends after the response', async () => {
  const wire = openWire(await refusingServer({ bytes: 100, ms: 300 }))
  const size = 64 * 1024 * 1024
  wire.send(head(size))
  wire.send(Buffer.alloc(size))
  expect((await wire.answer()).status).toBe(429)
  await wire.closed
  expect(seen.socket.bytesRead).toBeLessThan(1024 * 1024)
})
