import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { eventually, type TestService } from '../support/service.ts'
import { openWire } from '../support/wire.ts'

export const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'

export type Endpoint = 'collect' | 'event' | 'engage' | 'identify'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  json: any
}

export interface Asked {
  method?: string
  token?: string
  headers?: Record<string, string | undefined>
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown
  /** The loopback address it comes from, such as `127.0.0.2`. */
  from?: string
}

/** One request, its path sent byte for byte. */
export function request(url: string, { method = 'GET', token, headers = {}, body, from }: Asked = {}) {
  const { hostname, port, origin } = new URL(url)
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const given = { 'user-agent': CHROME, ...(token && { authorization: `Bearer ${token}` }), ...headers }
  return new Promise<Answer>((resolve, reject) => {
    const asked = httpRequest(
      {
        hostname,
        port,
        method,
        path: url.slice(origin.length) || '/',
        // A connection each, so that every process of the service gets some.
        agent: new Agent(),
        ...(from && { localAddress: from }),
        headers: {
          ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
          ...(bytes !== undefined && { 'content-length': Buffer.byteLength(bytes) }),
        },
      },
      answer => {
        const chunks: Buffer[] = []
        answer.on('data', chunk => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: answer.statusCode!, headers: answer.headers, text, json: parsed(text) })
        })
      },
    )
    asked.on('error', reject)
    asked.end(bytes)
  })
}

/**
 * Writes bytes to a socket and reads until the service closes it.
 * @returns the answers; none when it closed without a word, or said nothing until the deadline
 */
export async function rawRequest(
  url: string,
  bytes: string | Buffer,
  { deadlineMs = 5_000, end = false } = {},
) {
  const wire = openWire(url)
  const deadline = setTimeout(() => wire.socket.destroy(), deadlineMs)
  wire.send(bytes)
  if (end) wire.socket.end()
  const answers: Answer[] = []
  for (;;) {
    const answer = await wire.answer().catch(() => undefined)
    if (!answer) break
    const { status, headers, body: text } = answer
    if (status !== 100) answers.push({ status, headers, text, json: parsed(text) })
  }
  clearTimeout(deadline)
  return answers
}

function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Checks that an answer is an error of exactly the documented shape. */
export function expectError(answer: Answer, status: number | number[], code?: string) {
  expect([status].flat(), answer.text).toContain(answer.status)
  expect(answer.headers['x-request-id'], 'X-Request-Id').toMatch(/./)
  expect(answer.headers['content-type']).toContain('application/json')
  expect(answer.json, answer.text).toEqual({
    message: expect.stringMatching(/./),
    code: code ?? expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
    request_id: answer.headers['x-request-id'],
    ...(answer.status === 422 && { errors: expect.any(Object) }),
  })
  expectNothingLeaks(answer.text)
  if (answer.status !== 422) return
  expect(Object.keys(answer.json.errors).length).toBeGreaterThan(0)
  for (const complaints of Object.values(answer.json.errors))
    expect(complaints).toEqual(expect.arrayContaining([expect.any(String)]))
}

/** Checks that an answer of /trpc is an error in tRPC's shape that carries what every error carries. */
export function expectTrpcError(answer: Answer, status: number | number[]) {
  expect([status].flat(), answer.text).toContain(answer.status)
  expect(answer.headers['x-request-id'], 'X-Request-Id').toMatch(/./)
  const errors = [answer.json].flat()
  expect(errors.length, answer.text).toBeGreaterThan(0)
  for (const { error } of errors) {
    expect(error, answer.text).toMatchObject({
      message: expect.stringMatching(/./),
      code: expect.any(Number),
    })
    expect(error.data).toMatchObject({
      code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
      message: error.message,
      request_id: answer.headers['x-request-id'],
    })
    expect(error.data.errors !== undefined).toBe(error.data.httpStatus === 422)
  }
  expectNothingLeaks(answer.text)
}

function expectNothingLeaks(text: string) {
  expect(text).not.toMatch(/node_modules|\bat .*:\d+:\d+|\.[jt]s:\d|postgres|\bzod\b|\bselect\b.*\bfrom\b/i)
}

export interface Site {
  id: string
  key: string
  domain: string
  siteNo: number
}

/** A site of the service's own team, made through the API. */
export async function createSite(service: TestService, domain: string, timezone?: string): Promise<Site> {
  const { status, json, text } = await request(`${service.url}/api/sites`, {
    method: 'POST',
    token: service.token,
    body: { domain, timezone },
  })
  expect(status, text).toBe(201)
  const [row] = await service.db<{ site_no: number }[]>`select site_no from sites where id = ${json.id}`
  return { id: json.id, key: json.tracking_key, domain: json.domain, siteNo: row!.site_no }
}

/** Sends a hit of a site; the next one is later by the clock. */
export async function sendHit(
  service: TestService,
  endpoint: Endpoint,
  site: Site,
  body: object = {},
  asked: Omit<Asked, 'body' | 'token'> = {},
): Promise<Answer> {
  const hit = { ...required(endpoint, site), ...body }
  const answer = await request(`${service.url}/api/${endpoint}`, { method: 'POST', ...asked, body: hit })
  await sleep(3)
  return answer
}

/** What an endpoint cannot do without. */
export function required(endpoint: Endpoint, site: { key: string; domain: string }) {
  const hit = { key: site.key, hostname: site.domain }
  switch (endpoint) {
    case 'collect':
      return { ...hit, url: { path: '/' } }
    case 'event':
      return { ...hit, name: 'signup' }
    case 'engage':
      return { ...hit, url: { path: '/' }, sd: 10, time: 100 }
    case 'identify':
      return { ...hit, identifier: 'user-1' }
  }
}

/** Waits until everything that was sent before is stored or dropped, by hits of another site that come after it. */
export async function settle(service: TestService, sentinel: Site) {
  for (let round = 0; round < 2; round++) {
    const path = `/${crypto.randomUUID()}`
    expect((await sendHit(service, 'collect', sentinel, { url: { path } })).status).toBe(202)
    await eventually(async () => {
      const rows =
        await service.db`select 1 from events where site_no = ${sentinel.siteNo} and path = ${path}`
      return rows.length > 0
    })
  }
}
