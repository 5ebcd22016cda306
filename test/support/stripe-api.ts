import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from './stripe.ts'

export interface StripeApi {
  url: string
  /** Objects by their path below `/v1`; an array is a list, given in pages. */
  objects: Map<string, Json | Json[]>
  /** Requested paths with their queries. */
  asked: string[]
  /** While set, every request is answered with this status. */
  failWith: number | undefined
  /** Statuses for single paths. */
  failing: Map<string, number>
  /** Removes all objects, requested paths and failures. */
  clear(): void
  close(): Promise<void>
}

/** A stub of Stripe's API: lists in pages, and single objects. Accepts the key `rk_test_good`. */
export async function startStripeApi(): Promise<StripeApi> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://stripe')
    const path = pathname.replace('/v1/', '')
    api.asked.push(decodeURIComponent(`${path}${searchParams.size > 0 ? `?${searchParams}` : ''}`))
    const [status, body] = answer(path, searchParams, request.headers.authorization)
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })

  function answer(path: string, query: URLSearchParams, authorization: string | undefined): [number, Json] {
    if (authorization !== 'Bearer rk_test_good') return [401, failure('Invalid API Key provided')]
    if (api.failWith !== undefined) return [api.failWith, failure('Something went wrong')]
    const status = api.failing.get(path)
    if (status !== undefined) return [status, failure('Something went wrong')]
    const found = api.objects.get(path)
    if (found === undefined) return [404, failure(`No such object: ${path}`)]
    if (!Array.isArray(found)) return [200, found]
    const after = found.findIndex(({ id }) => id === query.get('starting_after'))
    const limit = Math.min(2, Number(query.get('limit') ?? 10))
    const data = found.slice(after + 1, after + 1 + limit)
    return [200, { object: 'list', data, has_more: after + 1 + limit < found.length, url: `/v1/${path}` }]
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const api: StripeApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects: new Map(),
    asked: [],
    failWith: undefined,
    failing: new Map(),
    clear() {
      api.objects.clear()
      api.asked.length = 0
      api.failWith = undefined
      api.failing.clear()
    },
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return api
}

const failure = (message: string) => ({ error: { type: 'invalid_request_error', message } })
