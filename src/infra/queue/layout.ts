import { randomUUID } from 'node:crypto'

// How the queues lie in Redis, for those that put jobs there and those that take them.

/** Fixed: what waits in Redis was spread by it. */
export const PARTITIONS = 4

export const queueName = (partition: number): string => `hits-${partition}`

/** What the names of all keys of a partition's queue begin with. */
export const keysOf = (partition: number): string => `bull:${queueName(partition)}`

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

/** What is put into the queue of a partition. */
export interface NewJob<Payload> {
  partition: number
  payload: Payload
}

/**
 * What Bull's own script does for a job that waits for nothing, for many jobs: of KEYS from `firstKey` on, four each (the
 * job, its queue's lists `wait` and `paused`, and the mark of a queue that is paused), and of ARGV from `first` on the time
 * and then of each its id, data and options. Bull's takes some thirty steps in JavaScript and a script a job, which is more
 * than what a hit costs otherwise. A job has no trace yet; without the empty one Bull throws an error at itself for each
 * job that it takes.
 */
export const ADD_JOBS = `
local function addJobs(firstKey, first)
  local outcomes = {}
  for index = 1, (#KEYS - firstKey + 1) / 4 do
    local key, wait, paused, isPaused = unpack(KEYS, firstKey + 4 * index - 4, firstKey + 4 * index - 1)
    local id, data, options = unpack(ARGV, first + 3 * index - 2, first + 3 * index)
    local outcome = {}
    if redis.call('exists', key) == 0 then
      outcome = redis.pcall('hset', key, 'name', '__default__', 'data', data, 'opts', options,
        'timestamp', ARGV[first], 'delay', 0, 'priority', 0, 'stacktrace', '[]')
      if type(outcome) ~= 'table' or not outcome.err then
        outcome = redis.pcall('lpush', redis.call('exists', isPaused) == 1 and paused or wait, id)
        if type(outcome) == 'table' and outcome.err then redis.call('del', key) end
      end
    end
    outcomes[index] = type(outcome) == 'table' and outcome.err or ''
  end
  return outcomes
end`

/** Jobs as `addJobs` takes them. */
export interface LaidOut {
  /** In the order of the jobs. */
  ids: string[]
  keys: string[]
  values: (string | number)[]
}

export function layOut<Payload>(jobs: NewJob<Payload>[]): LaidOut {
  const timestamp = Date.now()
  const laidOut: LaidOut = { ids: [], keys: [], values: [timestamp] }
  for (const { partition, payload } of jobs) {
    // Of our own: a command that is carried out a second time then adds nothing.
    const jobId = randomUUID()
    const prefix = keysOf(partition)
    const options = { ...JOB_OPTIONS, jobId, delay: 0, timestamp }
    laidOut.ids.push(jobId)
    laidOut.keys.push(`${prefix}:${jobId}`, `${prefix}:wait`, `${prefix}:paused`, `${prefix}:meta-paused`)
    laidOut.values.push(jobId, JSON.stringify(payload), JSON.stringify(options))
  }
  return laidOut
}
