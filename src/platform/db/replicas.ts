import { AppError } from '../errors.ts'
import { withDeadline } from '../lib/deadline.ts'
import type { Log } from '../runtime/log.ts'
import type { Db } from './connect.ts'
import { isRetryable, isUnavailable } from './database-errors.ts'
import { createLagMeter } from './lag-meter.ts'
import { askPosition, askPositionOfPrimary, type SeenPositions } from './wal-position.ts'

const ASK_EVERY_MS = 250
const ASK_MS = 1_000

/** Thrown by what a read uses when only the primary can answer it. */
export class NeedsPrimary extends Error {
  override name = 'NeedsPrimary'
}

/** A hot standby, and what reads use to read from it. */
export interface Replica<Source> {
  /** For questions about the server itself. */
  db: Db
  source: Source
}

interface State<Source> extends Replica<Source> {
  /** What it has replayed, by its latest answer; undefined while it does not answer. */
  position: bigint | undefined
}

/**
 * Spreads reads of sites over hot standbys. A read goes to a standby only if that is at most `maxLagMs` behind, and has replayed
 * everything that reads of this site have shown and changes of it have written. Else it goes to the primary. A site keeps to one
 * standby while it can, so that the data of a site are in the memory of one server.
 * @param options.primary a pool on the server that takes writes
 * @param options.seen positions that reads have shown, shared by all processes
 */
export function createReplicas<Source>(options: {
  primary: Db
  replicas: Replica<Source>[]
  seen: SeenPositions
  maxLagMs: number
  log: Log
  now: () => number
}) {
  const { primary, seen, maxLagMs, log, now } = options
  const states: State<Source>[] = options.replicas.map(replica => ({ ...replica, position: undefined }))
  const meter = createLagMeter(maxLagMs)

  async function askAll(): Promise<void> {
    const ask = async (state: State<Source>) => {
      const position = await inTime(askPosition(state.db)).catch(error => {
        if (state.position !== undefined)
          log.warn({ error }, 'a server of DATABASE_READ_URLS does not answer')
        return undefined
      })
      state.position = position
    }
    await Promise.all([
      inTime(askPositionOfPrimary(primary)).then(
        position => meter.record(position, now()),
        () => {}, // without it, standbys count as behind soon
      ),
      ...states.map(ask),
    ])
  }

  let isAsking = false
  const timer = setInterval(() => {
    if (isAsking) return
    isAsking = true
    void askAll().finally(() => {
      isAsking = false
    })
  }, ASK_EVERY_MS)
  timer.unref()

  /** @returns undefined when only the primary may answer */
  async function choose(siteNo: number): Promise<State<Source> | undefined> {
    const fresh = rotated(states, siteNo).filter(state => isFresh(state))
    if (fresh.length === 0) return undefined
    const least = await seen.of(siteNo).catch(() => undefined)
    if (least === undefined) return undefined
    for (const state of fresh) {
      if (state.position! >= least) return state
      // It may have replayed more since it was asked.
      const position = await inTime(askPosition(state.db)).catch(() => undefined)
      state.position = position
      if (position !== undefined && position >= least) return state
    }
    return undefined
  }

  const isFresh = ({ position }: State<Source>) =>
    position !== undefined && meter.lagOf(position, now()) <= maxLagMs

  return {
    /**
     * Runs a read of a site. What it has shown, later reads of the site show, too.
     * @param run gets what reads from the chosen standby; undefined for the primary
     * @param failureOf returns why a result is a failure; undefined if it is none
     */
    async read<Result>(
      siteNo: number,
      run: (source: Source | undefined) => Promise<Result>,
      failureOf: (result: Result) => unknown,
    ): Promise<Result> {
      const replica = await choose(siteNo)
      if (replica) {
        const result = await run(replica.source)
        const failure = failureOf(result)
        if (!(failure instanceof NeedsPrimary)) {
          if (!isLost(failure)) {
            const position = await inTime(askPosition(replica.db)).catch(() => undefined)
            if (position !== undefined) {
              await seen.raise(siteNo, position).catch(() => {})
              return result
            }
          }
          replica.position = undefined
        }
      }
      const result = await run(undefined)
      await this.note(siteNo)
      return result
    },
    /** Makes later reads of a site show what the primary has now. Call it after a change of the site. */
    async note(siteNo: number): Promise<void> {
      await inTime(askPositionOfPrimary(primary))
        .then(position => seen.raise(siteNo, position))
        .catch(() => {})
    },
    stop: () => clearInterval(timer),
    /** Asks all servers at once, as happens four times a second. */
    askAll,
  }
}

export type Replicas<Source> = ReturnType<typeof createReplicas<Source>>

const inTime = <Result>(asked: Promise<Result>): Promise<Result> =>
  withDeadline(ASK_MS, asked, () => new Error(`no answer within ${ASK_MS} ms`))

/** Returns the servers, beginning with that of the site. */
function rotated<Item>(items: Item[], siteNo: number): Item[] {
  const first = siteNo % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

/** True when the server is away, or has cancelled a statement in favour of what it replays (SQLSTATE 40001): another one can answer. */
function isLost(failure: unknown): boolean {
  if (failure === undefined) return false
  const cause = failure instanceof AppError ? failure.cause : failure
  return isUnavailable(cause) || (isRetryable(cause) && (cause as { code?: string }).code !== '57014')
}
