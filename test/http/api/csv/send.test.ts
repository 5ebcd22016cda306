import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import express from 'express'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { columnsOf } from '../../../../src/http/api/csv/columns.ts'
import { sendCsv } from '../../../../src/http/api/csv/send.ts'
import { BLOCK_ROWS, runningDownload } from '../../../../src/platform/schema/download.ts'
import type { Context } from '../../../../src/trpc/context.ts'
import { listen } from '../../listen.ts'

const Row = z.object({ no: z.number(), text: z.string() })
const list = { columns: columnsOf(Row), rows: z.array(Row) }
const TEXT = 'x'.repeat(200)
const rowsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ no: start + index, text: TEXT }))

/** Serves a list at `/list`; `read` gives one block. @returns its address, and how many blocks were read */
async function serve(read: (ctx: Context) => unknown, isWhole = true) {
  const served = { url: '', reads: 0, failures: [] as unknown[] }
  const app = express()
  app.get('/list', async (req, res) => {
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    const ctx = { signal: gone.signal, now: () => new Date() } as Context
    try {
      await sendCsv({ req, res, ctx, isWhole }, list, async each => {
        served.reads += 1
        return read(each)
      })
    } catch (error) {
      served.failures.push(error)
      res.destroy()
    }
  })
  served.url = `${await listen(createServer(app))}/list`
  return served
}

/** Reads block by block, as a list that continues by key. */
function byKey(blocks: number, onBlock: (block: number) => void = () => {}) {
  let block = 0
  return () => {
    onBlock(block)
    const download = runningDownload()!
    const rows = rowsFrom(block * BLOCK_ROWS, BLOCK_ROWS)
    block += 1
    download.isComplete = block >= blocks
    download.take(rows, blocks * BLOCK_ROWS)
    return []
  }
}

const ask = (url: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(url, resolve).once('error', reject)
  })

test('csv: 200,000 rows arrive once, in order, without being held in memory', {
  tags: ['full'],
}, async () => {
  const { url } = await serve(byKey(200))
  gc!()
  const before = process.memoryUsage().heapUsed
  let [lines, wrong, held, size, seen, rest] = [0, 0, 0, 0, 0, '']
  for await (const chunk of await ask(url)) {
    size += chunk.length
    const parts = (rest + chunk).split('\r\n')
    rest = parts.pop()!
    for (const line of parts) {
      if (!line.startsWith(lines === 0 ? 'no,text' : `${lines - 1},x`)) wrong += 1
      lines += 1
    }
    if (size > (seen + 1) * 8_000_000) {
      seen += 1
      gc!()
      held = Math.max(held, process.memoryUsage().heapUsed - before)
    }
  }
  expect([lines, wrong, rest]).toEqual([200_001, 0, ''])
  expect(seen).toBeGreaterThanOrEqual(4)
  expect(held).toBeLessThan(15_000_000)
})

test.each([
  ['does not read', (response: IncomingMessage) => void response.pause()],
  ['has gone', (response: IncomingMessage) => once(response, 'data').then(() => void response.destroy())],
])('csv: a client that %s stops the reading of further blocks', async (_, stop) => {
  const served = await serve(byKey(1_000))
  const response = await ask(served.url)
  await stop(response)
  let before = -1
  const isStill = () => {
    const last = before
    before = served.reads
    return before === last
  }
  await vi.waitUntil(isStill, { interval: 200, timeout: 30_000 })
  expect(served.reads).toBeLessThan(200)
  expect(served.failures).toEqual([])
  response.destroy()
})

test('csv: a failure in the middle cuts the connection, and one before the first row sends nothing', async () => {
  const failing = (at: number) =>
    byKey(10, block => {
      if (block === at) throw new Error('broken')
    })
  const served = await serve(failing(5))
  const response = await ask(served.url)
  await expect(buffer(response)).rejects.toThrow()
  expect(response.complete).toBe(false)
  const early = await serve(failing(0))
  await expect(ask(early.url)).rejects.toThrow()
  expect([served.failures, early.failures]).toEqual([[new Error('broken')], [new Error('broken')]])
})

test.each([[0], [1], [BLOCK_ROWS], [BLOCK_ROWS + 1], [25_000]])(
  'csv: %d rows are in the file',
  async count => {
    const { url } = await serve(() => {
      runningDownload()!.take(rowsFrom(0, count), count)
      return []
    })
    const text = await (await fetch(url)).text()
    const lines = text.split('\r\n')
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([count + 2, 'no,text', ''])
    expect(lines.slice(1, -1).every((line, index) => line === `${index},${TEXT}`)).toBe(true)
  },
)

test('csv: more than 1,000,000 rows are refused before anything is sent, but not a page of them', async () => {
  const served = await serve(() => runningDownload()!.take([], 1_000_001))
  await expect(ask(served.url)).rejects.toThrow()
  const refusal = { code: 'validation_failed', fields: { page: [expect.any(String)] } }
  expect(served.failures).toMatchObject([refusal])
  const { url } = await serve(() => runningDownload()!.take(rowsFrom(0, 1), 5_000_000), false)
  expect(await (await fetch(url)).text()).toBe(`no,text\r\n0,${TEXT}\r\n`)
  const bare = await serve(() => rowsFrom(0, 2))
  expect(await (await fetch(bare.url)).text()).toBe(`no,text\r\n0,${TEXT}\r\n1,${TEXT}\r\n`)
})

test('csv: HEAD has the headers of the file and no rows', async () => {
  const served = await serve(byKey(5))
  const response = await fetch(served.url, { method: 'HEAD' })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect([await response.text(), served.reads]).toEqual(['', 1])
})
