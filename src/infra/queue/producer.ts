import { randomUUID } from 'node:crypto'
import Bull from 'bull'
import type { Redis } from 'ioredis'
import { COUNT_REQUESTS, type Tally } from '../rate-limit.ts'
import { answered } from '../redis.ts'
import { ADD_JOB, JOB_OPTIONS, keysOf, layOut, QUEUE, SETTINGS } from './layout.ts'

export interface Producer<Payload> {
  /**
   * Resolves when Redis has the job in its log; rejects when it is not known to have it.
   * @param delayMs before which no consumer gets it
   */
  add(payload: Payload, delayMs?: number): Promise<void>
  /**
   * Counts requests, and adds a job if nobody is over a limit, in one command: what waits for two waits for the disk twice.
   * Resolves when Redis has all that in its log.
   * @returns the counts of the buckets; `isAdded` is false when somebody was over a limit, and `failure` says why the queue
   * could not take the job
   * @throws what Redis throws when it cannot answer; the job is not known to be there then
   */
  addWithin(tally: Tally, payload: Payload): Promise<{ counts: number[]; isAdded: boolean; failure?: Error }>
}

const ADD = `${ADD_JOB}
return addJob(1, 1)`

/** ARGV[1] says where the job begins in ARGV. */
const ADD_WITHIN = `${COUNT_REQUESTS}
${ADD_JOB}
local counts, isOver = countRequests(2, ARGV[1] - 1)
if isOver then return { counts } end
return { counts, addJob(3, tonumber(ARGV[1])) }`

/** Not by the names of Bull's own commands, which it defines on the same connection. */
interface Adding extends Redis {
  queueJob(keys: number, ...rest: (string | number)[]): Promise<string>
  queueJobWithin(keys: number, ...rest: (string | number)[]): Promise<[counts: number[], refusal?: string]>
}

/** How long a command that was given up may still be on its way. */
const LATE_MS = 60_000

/**
 * Takes a job back that nobody has taken yet: KEYS are its queue's wait list and the job, ARGV[1] its id. Where the job is
 * not, a mark takes its place, against the command that may still come.
 */
const WITHDRAW = `
if redis.call('lrem', KEYS[1], 1, ARGV[1]) == 1 then redis.call('del', KEYS[2])
elseif redis.call('exists', KEYS[2]) == 0 then redis.call('set', KEYS[2], '', 'PX', ${LATE_MS}) end`

/** Puts jobs into the queue over one connection. */
export function createProducer<Payload>(connection: Redis): Producer<Payload> {
  connection.defineCommand('queueJob', { lua: ADD })
  connection.defineCommand('queueJobWithin', { lua: ADD_WITHIN })
  const redis = connection as Adding
  let bull: Bull.Queue<Payload> | undefined
  /** Jobs that were refused to their senders, and are not known to be withdrawn. */
  const refused = new Set<string>()

  /** Bull itself: for what is rare. */
  function queue(): Bull.Queue<Payload> {
    if (!bull) {
      bull = new Bull<Payload>(QUEUE, { createClient: () => redis, settings: SETTINGS })
      bull.on('error', () => {}) // the connection reports its own errors
    }
    return bull
  }

  /** Redis may have the command and carry it out later, though the sender is told to come again: this follows it. */
  function withdraw(jobId: string): void {
    const prefix = keysOf(QUEUE)
    redis.eval(WITHDRAW, 2, `${prefix}:wait`, `${prefix}:${jobId}`, jobId).then(
      () => refused.delete(jobId),
      () => {}, // with the next connection
    )
  }
  connection.on('ready', () => {
    for (const jobId of refused) withdraw(jobId)
  })

  async function confirmed<Result>(jobId: string, send: () => PromiseLike<Result>): Promise<Result> {
    if (redis.status !== 'ready') throw new Error('Connection is closed.')
    try {
      return await answered(send())
    } catch (error) {
      refused.add(jobId)
      withdraw(jobId)
      throw error
    }
  }

  return {
    async add(payload, delay = 0) {
      if (delay > 0) {
        const jobId = randomUUID()
        const job = await confirmed(jobId, () => queue().add(payload, { ...JOB_OPTIONS, jobId, delay }))
        if (!job.id) throw new Error('the queue did not confirm the job')
        return
      }
      const { id, keys, values } = layOut(payload)
      const failure = failureOf(await confirmed(id, () => redis.queueJob(keys.length, ...keys, ...values)))
      if (failure) throw failure
    },
    async addWithin(tally, payload) {
      const { id, keys, values } = layOut(payload)
      const allKeys = [...tally.keys, ...keys]
      const begin = tally.values.length + 2
      const [counts, refusal] = await confirmed(id, () =>
        redis.queueJobWithin(allKeys.length, ...allKeys, begin, ...tally.values, ...values),
      )
      return refusal === undefined
        ? { counts, isAdded: false }
        : { counts, isAdded: true, failure: failureOf(refusal) }
    },
  }
}

const failureOf = (refusal: string): Error | undefined =>
  refusal === '' ? undefined : new Error(`the queue did not confirm the job: ${refusal}`)
