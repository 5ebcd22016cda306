import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Config } from '../../src/platform/config/config.ts'
import { recordingLog } from './recording-log.ts'
import { apiOfFile, type Json } from './stripe.ts'

interface StripeApi {
  /** Objects by their path below `/v1`; an array is a list, given in pages. */
  objects: Map<string, Json | Json[]>
  /** Requested paths with their queries. */
  asked: string[]
  /** While set, every request is answered with this status. */
  failWith: number | undefined
  /** Statuses for single paths. */
  failing: Map<string, number>
}

/**
 * The API of a file, and a stub of Stripe's API that is empty before each test: lists in pages, and single objects. It accepts
 * the key `rk_test_good`. `logged` is what the API logs during a test.
 */
export function apiWithStripe() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://stripe')
    const path = pathname.replace('/v1/', '')
    stripe.asked.push(decodeURIComponent(`${path}${searchParams.size > 0 ? `?${searchParams}` : ''}`))
    const [status, body] = answer(path, searchParams, request.headers.authorization)
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })

  function answer(path: string, query: URLSearchParams, authorization: string | undefined): [number, Json] {
    if (authorization !== 'Bearer rk_test_good') return [401, failure('Invalid API Key provided')]
    if (stripe.failWith !== undefined) return [stripe.failWith, failure('Something went wrong')]
    const status = stripe.failing.get(path)
    if (status !== undefined) return [status, failure('Something went wrong')]
    const found = stripe.objects.get(path)
    if (found === undefined) return [404, failure(`No such object: ${path}`)]
    if (!Array.isArray(found)) return [200, found]
    const after = found.findIndex(({ id }) => id === query.get('starting_after'))
    const limit = Math.min(2, Number(query.get('limit') ?? 10))
    const data = found.slice(after + 1, after + 1 + limit)
    return [200, { object: 'list', data, has_more: after + 1 + limit < found.length, url: `/v1/${path}` }]
  }

  const stripe: StripeApi = {
    objects: new Map(),
    asked: [],
    failWith: undefined,
    failing: new Map(),
  }
  const { log, lines: logged } = recordingLog()
  const api = apiOfFile({ log, config: stubAt(server) })
  beforeEach(() => {
    stripe.objects.clear()
    stripe.asked.length = 0
    stripe.failWith = undefined
    stripe.failing.clear()
    logged.length = 0
  })
  return { api, stripe, logged }
}

/** Lets a stub of Stripe listen during the tests of a file. Returns the configuration that has its address from then on. */
export function stubAt(server: Server): Partial<Config> {
  const config: Partial<Config> = {}
  beforeAll(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    config.stripeApiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return config
}

const failure = (message: string) => ({ error: { type: 'invalid_request_error', message } })
