import { createServer, type ServerResponse } from 'node:http'
import { apiOfFile, type Json } from './stripe.ts'
import { stubAt } from './stripe-api.ts'

/** What is wrong with the next answers. */
type Trouble = 'cut' | 'rate limit' | 'server error' | 'silence'

interface StripeLists {
  /** Lists by their path below `/v1`, the newest objects first. */
  lists: Record<string, Json[]>
  /** Most objects of a page, whatever is asked for. */
  most: number
  /** Taken one a request, until it is empty. */
  troubles: (Trouble | undefined)[]
  /** Paths that the key may not read. */
  forbidden: Set<string>
  /** Events before it are gone, Unix seconds. */
  eventsSince: number
  asked: string[]
}

/**
 * The API of a file, and Stripe's API with lists of any length: pages by `starting_after`, and what can go wrong. It accepts the
 * key `rk_test_good`.
 */
export function apiWithLists() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://stripe')
    const path = pathname.replace('/v1/', '')
    stripe.asked.push(`${path}?${decodeURIComponent(String(searchParams))}`)
    const trouble = stripe.troubles.shift()
    if (trouble === 'silence') return
    if (trouble === 'cut') {
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 })
        .write('{"data": [')
      setTimeout(() => response.destroy(), 5)
    } else if (trouble === 'rate limit') fail(response, 429, 'Too many requests', { 'Retry-After': '1' })
    else if (trouble === 'server error') fail(response, 503, 'Something went wrong')
    else if (request.headers.authorization !== 'Bearer rk_test_good')
      fail(response, 401, 'Invalid API Key provided')
    else if (stripe.forbidden.has(path))
      fail(response, 403, 'The provided key does not have the required permissions')
    else answer(response, path, searchParams)
  })

  function answer(response: ServerResponse, path: string, query: URLSearchParams): void {
    const all = stripe.lists[path]
    if (!all) {
      fail(response, 404, `No such object: ${path}`)
      return
    }
    const after = query.get('starting_after')
    const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
    if (after !== null && start === 0) {
      fail(response, 400, 'No such object', {}, 'starting_after')
      return
    }
    const gte = Math.max(Number(query.get('created[gte]') ?? 0), path === 'events' ? stripe.eventsSince : 0)
    const types = [...query].flatMap(([name, value]) => (name.startsWith('types[') ? [value] : []))
    const isWanted = ({ created = gte, type }: Json) =>
      created >= gte && (types.length === 0 || types.includes(type))
    const limit = Math.min(stripe.most, Number(query.get('limit') ?? 10))
    const data: Json[] = []
    let next = start
    while (next < all.length && data.length < limit) {
      if (isWanted(all[next]!)) data.push(all[next]!)
      next += 1
    }
    while (next < all.length && !isWanted(all[next]!)) next += 1
    const isExpanded = [...query].some(
      ([name, value]) => name.startsWith('expand[') && value === 'data.customer',
    )
    const customerOf = ({ customer }: Json) =>
      stripe.lists.customers?.find(({ id }) => id === customer) ?? customer
    const expanded = isExpanded ? data.map(each => ({ ...each, customer: customerOf(each) })) : data
    const body = { object: 'list', data: expanded, has_more: next < all.length, url: `/v1/${path}` }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }

  const stripe: StripeLists = {
    lists: {},
    most: 3,
    troubles: [],
    forbidden: new Set(),
    eventsSince: Number.POSITIVE_INFINITY,
    asked: [],
  }
  return { api: apiOfFile({ config: stubAt(server) }), stripe }
}

function fail(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
  param?: string,
) {
  const body = { error: { type: 'invalid_request_error', message, ...(param && { param }) } }
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}
