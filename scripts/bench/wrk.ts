import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onEnd } from './command.ts'
import type { SentHit } from './senders.ts'
import { figure } from './table.ts'

export interface Load {
  connections: number
  seconds: number
  /** Hits a second; as many as are answered unless given. */
  rate?: number
  /** Ends the load before its time. */
  signal?: AbortSignal
}

/** Result of one run of wrk. */
export interface WrkResult {
  requests: number
  seconds: number
  /** Number of answers with status 400 or above. */
  refused: number
  /** Number of errors of connections: failed connects, reads and writes, and timeouts. */
  broken: number
  p50Ms: number
  p99Ms: number
}

/**
 * Requires that wrk is installed.
 * @throws Error with the command that installs it
 */
export async function requireWrk(): Promise<void> {
  try {
    await promisify(execFile)('wrk', ['--version'])
  } catch (error) {
    // `wrk --version` prints its version and exits with 1.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return
    throw new Error('wrk is not installed: sudo apt-get install wrk, or see github.com/wg/wrk')
  }
}

const THREADS = 2

/**
 * Lua script of wrk: each thread sends all hits in order and starts at a different hit. With a rate, each hit has a time at which
 * it is due. A thread that is more than 0.1 s late sends fewer hits instead of a large burst.
 */
const SCRIPT = `
local threads = 0
function setup(thread)
  thread:set('number', threads)
  threads = threads + 1
end
function init(args)
  requests = {}
  for line in io.lines(args[1]) do
    local address, agent, body = line:match('^([^\\t]*)\\t([^\\t]*)\\t(.*)$')
    local headers = { ['Content-Type'] = 'application/json', ['X-Forwarded-For'] = address, ['User-Agent'] = agent }
    requests[#requests + 1] = wrk.format('POST', '/api/collect', headers, body)
  end
  following = math.floor(#requests * number / ${THREADS})
  local rate = tonumber(args[2])
  if rate > 0 then steadily(1000 * ${THREADS} / rate) end
end
function steadily(interval)
  local ffi = require('ffi')
  ffi.cdef('typedef struct { long s; long us; } moment; int gettimeofday(moment *now, void *zone);')
  local moment = ffi.new('moment')
  local due
  function delay()
    ffi.C.gettimeofday(moment, nil)
    local now = tonumber(moment.s) * 1000 + tonumber(moment.us) / 1000
    due = math.max((due or now) + interval, now - 100)
    return math.max(0, due - now)
  end
end
function request()
  following = following % #requests + 1
  return requests[following]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\\nRESULT {"requests":%d,"seconds":%f,"refused":%d,"broken":%d,"p50Ms":%f,"p99Ms":%f}\\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`

/**
 * Writes the script and the hits for wrk into a temporary folder.
 * @returns a function that runs wrk, which sends the hits
 */
export function prepareWrk(hits: SentHit[]): (url: string, load: Load) => Promise<WrkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'analytics-bench-wrk-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const script = join(folder, 'send.lua')
  const data = join(folder, 'hits.tsv')
  writeFileSync(script, SCRIPT)
  writeFileSync(data, hits.map(({ address, agent, body }) => `${address}\t${agent}\t${body}\n`).join(''))
  return async (url, { connections, seconds, rate = 0, signal }) => {
    const running = promisify(execFile)('wrk', [
      ...['-t', String(THREADS), '-c', String(connections), '-d', `${seconds}s`, '--timeout', '10s'],
      ...['-s', script, url, '--', data, String(rate)],
    ])
    onEnd(() => running.child.kill())
    signal?.addEventListener('abort', () => running.child.kill('SIGINT'))
    const { stdout } = await running
    const result = /^RESULT (.*)$/m.exec(stdout)?.[1]
    if (result === undefined) throw new Error(`wrk says:\n${stdout}`)
    return JSON.parse(result)
  }
}

/** Returns the rate, refusals and response times of a load. */
export const sentLine = ({ requests, refused, seconds, p50Ms, p99Ms }: WrkResult): string =>
  `${figure((requests - refused) / seconds)}/s, ${figure(refused)} refused, answered in ` +
  `${figure(p50Ms)} ms (p99 ${figure(p99Ms)})`
