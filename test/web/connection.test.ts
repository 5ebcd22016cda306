import { afterEach, expect, test, vi } from 'vitest'
import { awaySince, isReachable, onceBack, watched } from '../../src/web/api/connection.ts'

afterEach(() => vi.unstubAllGlobals())

const service = (answer: () => Promise<Response>) => {
  vi.stubGlobal('document', { baseURI: 'http://a.example/' })
  vi.stubGlobal('fetch', vi.fn(answer))
}
const lost = () => Promise.reject(new TypeError('Failed to fetch'))

test('connection: one failed request is doubted; without an answer the service is away until one comes', async () => {
  service(() => Promise.resolve(new Response('{}')))
  await expect(watched(lost)).rejects.toThrow('Failed to fetch')
  expect(await isReachable()).toBe(true)
  expect(awaySince()).toBeUndefined()
  service(lost)
  await expect(watched(lost)).rejects.toThrow('Failed to fetch')
  expect(await isReachable()).toBe(false)
  expect(awaySince()).toBeInstanceOf(Date)
  const back = vi.fn()
  onceBack(back)
  await watched(() => Promise.resolve(new Response('{}')))
  expect(awaySince()).toBeUndefined()
  expect(back).toHaveBeenCalledTimes(1)
})

test('connection: the page of a proxy is no answer; an error of the service is one', async () => {
  service(() => Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 })))
  expect(await isReachable()).toBe(false)
  service(() => Promise.resolve(Response.json({}, { status: 429 })))
  expect(await isReachable()).toBe(true)
})
