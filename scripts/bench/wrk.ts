import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SentHit } from './senders.ts'

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

/** Lua script of wrk: each thread sends all hits in order and starts at a different hit. */
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
  following = math.floor(#requests * number / tonumber(args[2]))
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
 * Writes the script and the hits for wrk into a folder.
 * @param onEnd registers the cleanup, which kills wrk
 * @returns a function that runs wrk, which sends the hits as fast as the server answers
 */
export function prepareWrk(
  folder: string,
  hits: SentHit[],
  onEnd: (stop: () => unknown) => void,
): (url: string, load: { connections: number; seconds: number }) => Promise<WrkResult> {
  const script = join(folder, 'send.lua')
  const data = join(folder, 'hits.tsv')
  writeFileSync(script, SCRIPT)
  writeFileSync(data, hits.map(({ address, agent, body }) => `${address}\t${agent}\t${body}\n`).join(''))
  return async (url, { connections, seconds }) => {
    const threads = 2
    const running = promisify(execFile)('wrk', [
      ...['-t', String(threads), '-c', String(connections), '-d', `${seconds}s`, '--timeout', '10s'],
      ...['-s', script, url, '--', data, String(threads)],
    ])
    onEnd(() => running.child.kill())
    const { stdout } = await running
    const result = /^RESULT (.*)$/m.exec(stdout)?.[1]
    if (result === undefined) throw new Error(`wrk says:\n${stdout}`)
    return JSON.parse(result)
  }
}
