import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import type { RequestHandler } from 'express'
import { Gauge, Registry } from 'prom-client'
import { AppError } from '../platform/errors.ts'
import { waitingBytes } from '../platform/queue/bounded-queue.ts'
import { queueDepth } from '../platform/queue/bull-format.ts'
import type { MetricsExchange } from '../platform/redis/metrics-exchange.ts'
import type { Services } from '../platform/services.ts'
import { readRefreshLag } from '../storage/rollups/aggregates.ts'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Serves the Prometheus text of the whole cluster: metrics of every process, and gauges read from database, Redis and disk. */
export function metricsEndpoint(services: Services, exchange: MetricsExchange): RequestHandler {
  return async (req, res) => {
    requireAccess(req, services.config.metricsToken)
    const [processes, stores] = await Promise.all([exchange.collect(), measureStores(services)])
    res.type('text/plain; version=0.0.4; charset=utf-8').send(`${processes}\n${stores}`)
  }
}

/** With a configured token, requires that token. Without one, allows only direct requests from this machine. */
function requireAccess(request: IncomingMessage, token: string | undefined): void {
  if (token !== undefined) {
    const given = Buffer.from(request.headers.authorization ?? '')
    const wanted = Buffer.from(`Bearer ${token}`)
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) return
    throw new AppError('unauthenticated', 'Send the metrics token: Authorization: Bearer <METRICS_TOKEN>')
  }
  if (!isLoopback(request.socket.remoteAddress ?? '') || isForwarded(request) || !isForLoopback(request)) {
    throw new AppError('forbidden', 'Metrics are answered on this machine only; set METRICS_TOKEN for others')
  }
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:/, '')
  return LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}

/** The client of a request that a proxy forwarded may be anywhere. */
function isForwarded({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some(name => PROXY_HEADER.test(name))
}

/** Names of headers that proxies and CDNs add: an address or name of the client, or themselves. */
const PROXY_HEADER =
  /forwarded|(client|connecting|real|user|remote|source|originating)-?(ip|addr)|^(via|cdn-loop|cf-.*|fastly-.*|x-(amzn?|azure|envoy|original|proxy|varnish|vercel|nf|served-by|cache)(-.*)?)$/

/** Returns whether the Host header names this machine. A page that uses DNS rebinding sends its own host name. */
function isForLoopback({ headers }: IncomingMessage): boolean {
  if (headers.host === undefined) return true // HTTP/1.0, which browsers do not use
  const name = headers.host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return name === 'localhost' || isLoopback(name)
}

async function measureStores({ db, redis, disk, now }: Services): Promise<string> {
  const registry = new Registry()
  const gauge = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const jobs = gauge('queue_jobs', 'Batches of hits in the queues', 'state')
  const age = gauge('queue_oldest_seconds', 'Age of the oldest batch that waits')
  const lag = gauge('refresh_lag_seconds', 'How far behind now an aggregate is materialised', 'aggregate')
  const [depth, replayBytes, lags, freeBytes] = await Promise.all([
    queueDepth(redis),
    waitingBytes(redis, 'replays'),
    readRefreshLag(db, now()),
    disk.freeBytes(),
  ])
  if (freeBytes !== undefined) {
    gauge('disk_free_bytes', 'Free space of the file system that the embedded servers write to').set(
      freeBytes,
    )
  }
  gauge('replay_queue_bytes', 'Bytes of session replays that wait to be stored').set(replayBytes)
  jobs.set({ state: 'waiting' }, depth.waiting)
  jobs.set({ state: 'delayed' }, depth.delayed)
  jobs.set({ state: 'active' }, depth.active)
  age.set(depth.oldestAt === undefined ? 0 : Math.max(0, (now().getTime() - depth.oldestAt) / 1000))
  for (const [aggregate, seconds] of lags) lag.set({ aggregate }, seconds)
  return registry.metrics()
}
