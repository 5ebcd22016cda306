import { Resolver } from 'node:dns/promises'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { withDeadline } from '../lib/deadline.ts'
import { isPublicAddress } from './public-addresses.ts'

/** Addresses and limits of a fetch. They are arguments, so that tests can serve from the local host. */
export interface Reach {
  /** Returns all addresses of a host name. */
  resolve: (host: string) => Promise<string[]>
  isAllowed: (address: string) => boolean
  timeoutMs: number
  maxBytes: number
}

export const PUBLIC_INTERNET: Pick<Reach, 'resolve' | 'isAllowed'> = {
  resolve: askNameServers,
  isAllowed: isPublicAddress,
}

/** Asks the name servers directly: `lookup` would block one of the process's few threads while a server does not answer. */
async function askNameServers(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_000, tries: 1 })
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
}

/** Why a URL could not be fetched. */
export type FetchProblem =
  | 'unknown_host'
  | 'not_public'
  | 'timed_out'
  | 'bad_certificate'
  | 'connection_failed'

export class PublicFetchError extends Error {
  readonly problem: FetchProblem

  constructor(problem: FetchProblem, cause?: unknown) {
    super(problem, { cause })
    this.problem = problem
  }
}

/** What a request says of itself, and which answers it wants the body of. With `body` it is a POST, else a GET. */
interface FetchRequest {
  body?: Buffer
  headers: Record<string, string>
  wants: (answer: IncomingMessage) => boolean
}

interface PublicAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** Undefined where it is not wanted. */
  body: Buffer | undefined
  /** The body goes on: `body` has its first `maxBytes`. */
  isCut: boolean
}

/** Returns whether a URL may be fetched for a user: http or https. Other ports below 1024 belong to other services. */
export const isWebUrl = ({ protocol, port }: URL): boolean =>
  /^https?:$/.test(protocol) && (port === '' || port === '80' || port === '443' || Number(port) >= 1024)

/**
 * Fetches a URL. The name is resolved once, all its addresses must be allowed, and the connection uses one of them: the name cannot
 * resolve to another address later. Redirects are not followed.
 * @throws PublicFetchError
 */
export async function requestPublic(url: URL, reach: Reach, request: FetchRequest): Promise<PublicAnswer> {
  const signal = AbortSignal.timeout(reach.timeoutMs)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = isIP(host)
    ? [host]
    : await withDeadline(
        reach.timeoutMs,
        reach.resolve(host).catch(() => []),
        () => new PublicFetchError('timed_out'),
      )
  if (addresses.length === 0) throw new PublicFetchError('unknown_host')
  if (!addresses.every(reach.isAllowed)) throw new PublicFetchError('not_public')
  try {
    return await send(url, { host, address: addresses[0]!, maxBytes: reach.maxBytes, signal }, request)
  } catch (error) {
    throw new PublicFetchError(signal.aborted ? 'timed_out' : problemOf(error), error)
  }
}

/** Codes of TLS, such as CERT_HAS_EXPIRED and UNABLE_TO_VERIFY_LEAF_SIGNATURE. */
export const problemOf = (error: unknown): FetchProblem =>
  /CERT|SIGNATURE/.test(String((error as NodeJS.ErrnoException).code))
    ? 'bad_certificate'
    : 'connection_failed'

function send(
  url: URL,
  {
    host,
    address,
    maxBytes,
    signal,
  }: { host: string; address: string; maxBytes: number; signal: AbortSignal },
  { headers, wants, body }: FetchRequest,
): Promise<PublicAnswer> {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: address,
        port: url.port || (url.protocol === 'https:' ? 443 : 80),
        path: url.pathname + url.search,
        method: body ? 'POST' : 'GET',
        // Check the certificate against the name, not against the address of the connection.
        ...(isIP(host) ? {} : { servername: host }),
        headers: { Host: url.host, ...headers, ...(body && { 'Content-Length': String(body.length) }) },
        agent: false,
        signal,
      },
      response => {
        const chunks: Buffer[] = []
        let size = 0
        const head = { status: response.statusCode!, headers: response.headers }
        const end = (isCut: boolean) =>
          resolve({ ...head, body: Buffer.concat(chunks).subarray(0, maxBytes), isCut })
        if (!wants(response)) {
          sent.destroy()
          resolve({ ...head, body: undefined, isCut: false })
          return
        }
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          chunks.push(chunk)
          if (size <= maxBytes) return
          sent.destroy()
          end(true)
        })
        response.once('end', () => end(false))
        response.once('error', reject)
      },
    )
    sent.once('error', reject)
    // A server that changes the protocol (101) ends the request without a response and without an error.
    sent.once('close', () => reject(new Error('the connection was closed without an answer')))
    sent.end(body)
  })
}

const PICTURES = { Accept: 'image/*', 'User-Agent': 'Mozilla/5.0 (compatible; favicon)' }

/**
 * Fetches a picture and returns the body of a 200 answer, as `requestPublic` does.
 * @returns undefined in all other cases: another status, too many bytes, a timeout, an address that is not allowed
 */
export async function fetchPublic(url: URL, reach: Reach): Promise<Buffer | undefined> {
  const wants = ({ statusCode, headers }: IncomingMessage) =>
    statusCode === 200 && !(Number(headers['content-length']) > reach.maxBytes)
  try {
    const { body, isCut } = await requestPublic(url, reach, { headers: PICTURES, wants })
    return isCut ? undefined : body
  } catch {
    return undefined
  }
}
