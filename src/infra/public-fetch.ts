import { Resolver } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** What a fetch may reach, and how; arguments, so that tests can serve from this machine. */
export interface Reach {
  /** Every address a name has. */
  resolve: (host: string) => Promise<string[]>
  isAllowed: (address: string) => boolean
  timeoutMs: number
  maxBytes: number
}

export const PUBLIC_INTERNET: Pick<Reach, 'resolve' | 'isAllowed'> = {
  resolve: askNameServers,
  isAllowed: isPublicAddress,
}

/** Not by `lookup`: that would occupy the process's few threads for as long as a name server is silent. */
async function askNameServers(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_000, tries: 1 })
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
}

/**
 * The body of a GET that was answered 200. The name is resolved once, every address it has must be allowed, and the
 * connection goes to one of those: a name cannot mean something else when it is connected to. No redirect is followed.
 * @returns undefined for whatever else happens: another status, too many bytes, too late, an address that is not allowed
 */
export async function fetchPublic(url: URL, reach: Reach): Promise<Buffer | undefined> {
  const signal = AbortSignal.timeout(reach.timeoutMs)
  try {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const addresses = isIP(host) ? [host] : await unlessAborted(reach.resolve(host), signal)
    if (addresses.length === 0 || !addresses.every(reach.isAllowed)) return undefined
    return await get(url, host, addresses[0]!, reach.maxBytes, signal)
  } catch {
    return undefined
  }
}

function get(url: URL, host: string, address: string, maxBytes: number, signal: AbortSignal) {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise<Buffer | undefined>((resolve, reject) => {
    const sent = request(
      {
        host: address,
        port: url.port || (url.protocol === 'https:' ? 443 : 80),
        path: url.pathname + url.search,
        // Certificates are checked for the name, not for the address that is connected to.
        ...(isIP(host) ? {} : { servername: host }),
        headers: { Host: url.host, Accept: 'image/*', 'User-Agent': 'Mozilla/5.0 (compatible; favicon)' },
        agent: false,
        signal,
      },
      response => {
        if (response.statusCode !== 200 || Number(response.headers['content-length']) > maxBytes) {
          sent.destroy()
          resolve(undefined)
          return
        }
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          chunks.push(chunk)
          if (size <= maxBytes) return
          sent.destroy()
          resolve(undefined)
        })
        response.once('end', () => resolve(Buffer.concat(chunks)))
        response.once('error', reject)
      },
    )
    sent.once('error', reject)
    sent.end()
  })
}

/** Resolving cannot be stopped, only no longer be waited for. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}
