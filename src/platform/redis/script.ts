import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainableCommander } from 'ioredis'
import { AppError } from '../errors.ts'
import { readSetting } from './check.ts'
import { isCluster, mastersOf, type RedisClient } from './client.ts'

type Values = (string | number)[]
/** Sends a script with its keys and values, and returns what it returned. */
export type Script<Result> = (keys: string[], values: Values) => Promise<Result>
type Declared = Record<string, (keys: number, ...rest: Values) => unknown>

/** Longest time that replicas are waited for; shorter than the deadline of a command. */
const REPLICAS_MS = 500
const REDIRECTED = /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN)\b|^Connection is closed|^Cluster isn't ready/
const AGAIN_MS = 50
const GIVE_UP_MS = 800

/**
 * Declares a Lua script. In a cluster all its keys must have the same hash tag.
 * @param name must differ from Bull's own commands, which Bull declares on the same connection
 * @param minReplicas how many replicas must have what the script wrote before its result is returned
 * @returns a function that sends it; that throws an AppError `unavailable` when fewer replicas confirm in time. It is not certain then
 * what the script has written
 */
export function declareScript<Result>(
  redis: RedisClient,
  name: string,
  lua: string,
  minReplicas = 0,
): Script<Result> {
  redis.defineCommand(name, { lua })
  const declared = redis as unknown as Declared
  if (minReplicas === 0)
    return (keys, values) => declared[name]!(keys.length, ...keys, ...values) as Promise<Result>
  let confirmation: Promise<Confirm> | undefined
  return async (keys, values) => {
    confirmation ??= confirmationOf(redis)
    return sendConfirmed<Result>(redis, minReplicas, await confirmation, pipeline => {
      const commands = pipeline as unknown as Declared
      commands[name]!(keys.length, ...keys, ...values)
    })
  }
}

interface Confirm {
  /** Adds the commands that wait for replicas; the answer of the last one counts. */
  add(pipeline: ChainableCommander, replicas: number): void
  /** Returns the number of replicas from its answer. */
  read(answer: unknown): number
}

/** Replicas have the write in their memory. Source: https://redis.io/docs/latest/commands/wait/ */
const IN_MEMORY: Confirm = {
  add: (pipeline, replicas) => void pipeline.wait(replicas, REPLICAS_MS),
  read: Number,
}

/**
 * Replicas have the write on their disks. A replica is asked when the write arrives, and answers before its disk is synced; the next time
 * it answers by itself is up to a second later. So `WAITAOF` asks again once replicas have the write in their memory.
 * Source: https://redis.io/docs/latest/commands/waitaof/
 */
const ON_DISK: Confirm = {
  add(pipeline, replicas) {
    pipeline.wait(replicas, REPLICAS_MS / 2)
    pipeline.call('WAITAOF', 1, replicas, REPLICAS_MS / 2)
  },
  read: answer => Number((answer as unknown[])[1]),
}

/** A server that syncs its log once a second would confirm as seldom, so only one that always does is asked for its disk. */
async function confirmationOf(redis: RedisClient): Promise<Confirm> {
  const [master] = mastersOf(redis)
  const info = (await master?.info().catch(() => '')) ?? ''
  const [, major = 0, minor = 0] = (/^redis_version:(\d+)\.(\d+)/m.exec(info) ?? []).map(Number)
  const isNew = major > 7 || (major === 7 && minor >= 2)
  if (!isNew || !/^aof_enabled:1/m.test(info)) return IN_MEMORY
  return (await readSetting(master!, 'appendfsync')) === 'always' ? ON_DISK : IN_MEMORY
}

/** Sends commands and the wait for replicas over one connection. A cluster that is being changed is asked again. */
async function sendConfirmed<Result>(
  redis: RedisClient,
  replicas: number,
  confirm: Confirm,
  addScript: (pipeline: ChainableCommander) => void,
): Promise<Result> {
  for (const giveUpAt = performance.now() + GIVE_UP_MS; ; ) {
    const pipeline = redis.pipeline()
    addScript(pipeline)
    confirm.add(pipeline, replicas)
    const [script, ...waits] = (await pipeline.exec())!
    const [failure, result] = script!
    if (!failure) {
      const [noWait, answer] = waits.at(-1)!
      if (noWait) throw noWait
      const reached = confirm.read(answer)
      if (reached >= replicas) return result as Result
      throw new AppError('unavailable', replicasMissing(reached, replicas), { retryAfter: 1 })
    }
    // The node has not run the script, so sending it again counts nothing twice.
    if (!isCluster(redis) || !REDIRECTED.test(failure.message) || performance.now() > giveUpAt) throw failure
    redis.refreshSlotsCache()
    await sleep(AGAIN_MS)
  }
}

const replicasMissing = (reached: number, wanted: number) =>
  `The queue reached ${reached} of the ${wanted} replicas that must have a hit; try again shortly`
