import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { columnsOf } from '../../../src/http/api/csv/columns.ts'
import { sendCsv } from '../../../src/http/api/csv/send.ts'
import { BLOCK_ROWS, runningDownload } from '../../../src/schema/download.ts'
import type { Context } from '../../../src/trpc/context.ts'

const Row = z.object({ no: z.number(), text: z.string() })
const list = { columns: columnsOf(Row), rows: z.array(Row) }
const TEXT = 'x'.repeat(200)
const rowsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ no: start + index, text: TEXT }))

let close: () => Promise<void> = async () => {}
afterEach(() => close())

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
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`
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

test('csv: 200,000 rows arrive once, in order, without being held in memory', async () => {
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

test('csv: a client that does not read stops the reading of further blocks', async () => {
  const served = await serve(byKey(1_000))
  const response = await ask(served.url)
  response.pause()
  let before = -1
  await vi.waitUntil(
    () => {
      const isStill = served.reads === before
      before = served.reads
      return isStill
    },
    { interval: 200, timeout: 30_000 },
  )
  expect(served.reads).toBeLessThan(200)
  response.destroy()
})

test('csv: nothing is read any more when the client has gone', async () => {
  const served = await serve(byKey(1_000))
  const response = await ask(served.url)
  await once(response, 'data')
  response.destroy()
  await vi.waitUntil(
    () => {
      const before = served.reads
      return new Promise(resolve => setTimeout(() => resolve(served.reads === before), 100))
    },
    { interval: 10, timeout: 30_000 },
  )
  expect(served.reads).toBeLessThan(200)
  expect(served.failures).toEqual([])
})

test('csv: a failure in the middle cuts the connection', async () => {
  const served = await serve(
    byKey(10, block => {
      if (block === 5) throw new Error('broken')
    }),
  )
  const response = await ask(served.url)
  await expect(
    (async () => {
      for await (const _ of response);
    })(),
  ).rejects.toThrow()
  expect(response.complete).toBe(false)
  expect(served.failures).toEqual([new Error('broken')])
})

test('csv: a failure before the first row sends nothing', async () => {
  const served = await serve(() => {
    throw new Error('broken')
  })
  await expect(ask(served.url)).rejects.toThrow()
  expect(served.failures).toEqual([new Error('broken')])
})

describe('a list that is read at once', () => {
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

  test('csv: a bare array is the rows', async () => {
    const { url } = await serve(() => rowsFrom(0, 2))
    expect(await (await fetch(url)).text()).toBe(`no,text\r\n0,${TEXT}\r\n1,${TEXT}\r\n`)
  })

  test('csv: more than 1,000,000 rows are refused before anything is sent', async () => {
    const served = await serve(() => runningDownload()!.take([], 1_000_001))
    await expect(ask(served.url)).rejects.toThrow()
    expect(served.failures).toMatchObject([
      { code: 'validation_failed', fields: { page: [expect.any(String)] } },
    ])
  })

  test('csv: a page of a longer list is not refused', async () => {
    const { url } = await serve(() => runningDownload()!.take(rowsFrom(0, 1), 5_000_000), false)
    expect(await (await fetch(url)).text()).toBe(`no,text\r\n0,${TEXT}\r\n`)
  })
})

test('csv: HEAD has the headers of the file and no rows', async () => {
  const served = await serve(byKey(5))
  const response = await fetch(served.url, { method: 'HEAD' })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect([await response.text(), served.reads]).toEqual(['', 1])
})
