// @module-tag full
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { ofFile } from '../support/of-file.ts'
import { childrenOf } from '../support/processes.ts'
import { eventually, startService } from '../support/service.ts'

const service = ofFile(() => startService({ HTTP_WORKERS: '2' }))
beforeAll(async () => {
  // Both workers listen, so both get connections.
  await eventually(async () => service.output().includes('"msg":"ready"'), 90_000)
})

/** Connects and asks for /healthz. Resolves with the first bytes of the answer, or with `closed`. */
async function ask(): Promise<{ socket: Socket; outcome: Promise<string> }> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  const outcome = new Promise<string>(resolve => {
    socket.once('data', data => resolve(data.toString().slice(0, 12)))
    socket.once('close', () => resolve('closed'))
    socket.on('error', () => {})
  })
  await once(socket, 'connect')
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  return { socket, outcome }
}

test('cluster: a connection that was handed to a worker which is killed before it takes it is closed', async () => {
  const [stopped] = await childrenOf(service.pid, 'http.js')
  process.kill(stopped!, 'SIGSTOP')
  const asked = await Promise.all(Array.from({ length: 8 }, ask))
  const outcomes: string[] = []
  for (const { outcome } of asked) void outcome.then(text => outcomes.push(text))
  // The other worker answers all but the one that the stopped worker was given.
  await expect.poll(() => outcomes.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(7)
  process.kill(stopped!, 'SIGKILL')
  await expect.poll(() => outcomes.length, { timeout: 60_000 }).toBe(8)
  expect(outcomes.toSorted()).toEqual([...Array.from({ length: 7 }, () => 'HTTP/1.1 200'), 'closed'])
  for (const { socket } of asked) socket.destroy()
})
