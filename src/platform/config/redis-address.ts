import { z } from 'zod'

interface Endpoint {
  host: string
  port: number
}

interface Login {
  username: string | undefined
  password: string | undefined
  /** Whether connections are encrypted (TLS). */
  tls: boolean
}

/** Where Redis is: one server, the nodes of a Redis Cluster, or the Sentinels that know which server is the master. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | { kind: 'socket'; path: string }
  | ({ kind: 'cluster'; nodes: Endpoint[] } & Login)
  | ({ kind: 'sentinel'; sentinels: Endpoint[]; master: string; db: number } & Login)

const ALLOWED =
  'a URL such as redis://127.0.0.1:6379, unix:///run/redis.sock, redis+cluster://a:6379,b:6379,c:6379 ' +
  'or redis+sentinel://a:26379,b:26379,c:26379/name-of-master'

/** Schema of the setting `REDIS_URL`. */
export const redisUrl = z.string().refine(value => parseRedisUrl(value) !== undefined, ALLOWED)

/**
 * Reads a `REDIS_URL`: `redis:`, `rediss:` (TLS) and `unix:` are one server; `redis+cluster:` and `redis+sentinel:` take several hosts,
 * and `rediss+…` is the same over TLS.
 * @throws Error that says what is allowed
 */
export function redisAddress(value: string): RedisAddress {
  const address = parseRedisUrl(value)
  if (!address) throw new Error(`REDIS_URL is (hidden); allowed is ${ALLOWED}`)
  return address
}

function parseRedisUrl(value: string): RedisAddress | undefined {
  if (!URL.canParse(value) && !SEVERAL.test(value)) return undefined
  if (/^unix:/.test(value)) return { kind: 'socket', path: value.replace(/^unix:(\/\/)?/, '') }
  if (/^rediss?:/.test(value)) return { kind: 'server', url: value }
  return severalHosts(value)
}

const SEVERAL =
  /^redis(?<tls>s?)\+(?<kind>cluster|sentinel):\/\/(?:(?<username>[^:@/]*):(?<password>[^@/]*)@)?(?<hosts>[^@/]+)(?:\/(?<path>.*))?$/

function severalHosts(value: string): RedisAddress | undefined {
  const { tls, kind, username, password, hosts, path = '' } = SEVERAL.exec(value)?.groups ?? {}
  const endpoints = hosts?.split(',').map(host => endpointOf(host, kind === 'cluster' ? 6379 : 26_379)) ?? []
  if (endpoints.length === 0 || !endpoints.every(endpoint => endpoint !== undefined)) return undefined
  const login = { username: decoded(username), password: decoded(password), tls: tls === 's' }
  // A Redis Cluster has no numbered databases.
  if (kind === 'cluster') return path === '' ? { kind, nodes: endpoints, ...login } : undefined
  const [, master, db] = /^([A-Za-z0-9._-]+)(?:\/(\d{1,4}))?$/.exec(path) ?? []
  return master === undefined
    ? undefined
    : { kind: 'sentinel', sentinels: endpoints, master, db: Number(db ?? 0), ...login }
}

/** Returns undefined for what is no host with an optional port. An IPv6 address stands in square brackets. */
function endpointOf(text: string, usualPort: number): Endpoint | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  const number = port === undefined ? usualPort : Number(port)
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number }
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
