import { randomUUID } from 'node:crypto'

// How the queues lie in Redis, for those that put jobs there and those that take them.

/** What waits is taken in the order it came. */
export const QUEUE = 'hits'

/** Where earlier releases put their jobs, spread by the number of the queue: what waits there is still taken. */
export const EARLIER_QUEUES = ['hits-0', 'hits-1', 'hits-2', 'hits-3']

export const QUEUES = [QUEUE, ...EARLIER_QUEUES]

/** What the names of all keys of a queue begin with. */
export const keysOf = (queue: string): string => `bull:${queue}`

/**
 * A job is tried until it succeeds: neither failures (`attempts`) nor crashed consumers (`maxStalledCount`) may
 * ever drop it, and it never leaves Redis but by completing.
 */
export const JOB_OPTIONS = {
  attempts: 2_000_000_000,
  backoff: { type: 'fixed', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: false,
  // Each failure would add its trace, and the job would grow with them.
  stackTraceLimit: 1,
} as const

export const SETTINGS = {
  lockDuration: 15_000,
  stalledInterval: 5_000,
  maxStalledCount: 2_000_000_000,
  drainDelay: 5,
} as const

/**
 * What Bull's own script does for a job that waits for nothing: of KEYS from `firstKey` on the job, its queue's lists `wait`
 * and `paused`, and the mark of a queue that is paused, and of ARGV from `first` on its id, time, data and options. Bull's
 * takes some thirty steps in JavaScript, and counts nobody's requests in the same command. A job has no trace yet; without
 * the empty one Bull throws an error at itself for each job that it takes.
 * @returns nothing, or why the queue could not take it
 */
export const ADD_JOB = `
local function addJob(firstKey, first)
  local key, wait, paused, isPaused = unpack(KEYS, firstKey, firstKey + 3)
  local id, at, data, options = unpack(ARGV, first, first + 3)
  if redis.call('exists', key) == 1 then return '' end
  local outcome = redis.pcall('hset', key, 'name', '__default__', 'data', data, 'opts', options,
    'timestamp', at, 'delay', 0, 'priority', 0, 'stacktrace', '[]')
  if type(outcome) ~= 'table' or not outcome.err then
    outcome = redis.pcall('lpush', redis.call('exists', isPaused) == 1 and paused or wait, id)
    if type(outcome) == 'table' and outcome.err then redis.call('del', key) end
  end
  return type(outcome) == 'table' and outcome.err or ''
end`

/** A job as `addJob` takes it. */
export interface LaidOut {
  id: string
  keys: string[]
  values: (string | number)[]
}

export function layOut(payload: unknown): LaidOut {
  // Of our own: a command that is carried out a second time then adds nothing.
  const id = randomUUID()
  const prefix = keysOf(QUEUE)
  const timestamp = Date.now()
  const options = { ...JOB_OPTIONS, jobId: id, delay: 0, timestamp }
  return {
    id,
    keys: [`${prefix}:${id}`, `${prefix}:wait`, `${prefix}:paused`, `${prefix}:meta-paused`],
    values: [id, timestamp, JSON.stringify(payload), JSON.stringify(options)],
  }
}
