import { randomUUID } from 'node:crypto'
import { createTeamTurns } from '../../../platform/lib/team-turns.ts'
import {
  type ClaimedImport,
  claimImport,
  passTurn,
  prolongClaim,
  putOff,
  releaseClaim,
  type WaitingImport,
} from './claims.ts'
import type { TaskProgress } from './import-kind.ts'
import { runTask, type TaskServices } from './run-task.ts'
import { createTurn, type SharedTurn } from './turn.ts'

const ASK_MS = 2_000
const PROLONG_MS = 3_000
/** Pause after a failure that another try may mend, such as a full disk: others may do their tasks meanwhile. */
const RETRY_MS = 30_000
/** Time after which a task waits while other teams have their turn. */
const SLICE_MS = 1_000
/** Tasks that have begun in a process, each of another team. Those that wait hold what they have read in memory and in temporary files. */
const MOST_OPEN = 4

export interface ImportWorker {
  /** Stops all tasks after their batches; another process goes on with them. */
  stop(): Promise<void>
}

/** A task that has begun. */
interface OpenTask {
  id: string
  teamId: string
  turn: SharedTurn
  /** It got no place: after one slice it waits for one, and begins anew. */
  isGuest: boolean
  /** Resolves when the task has ended and its claim is gone. */
  ended: Promise<void>
  stop(reason: string): void
}

/**
 * Works on imports. Teams take turns: after its slice, a task pauses where it is while another team has its turn, and the team whose turn
 * is longest ago comes next. Several processes work on different tasks, one at a time for each site. A task whose process was killed is
 * taken over by another; everything that a task does can be done again.
 * @param options.clock milliseconds of any clock that does not go back; slices are measured with it
 */
export function startImportWorker(
  services: TaskServices,
  {
    askMs = ASK_MS,
    prolongMs = PROLONG_MS,
    retryMs = RETRY_MS,
    sliceMs = SLICE_MS,
    mostOpen = MOST_OPEN,
    clock = () => performance.now(),
  } = {},
): ImportWorker {
  const { db, log, now } = services
  const process = randomUUID()
  const teams = createTeamTurns()
  const open = new Map<string, OpenTask>()
  /** Guests that have had their slice. */
  const waitForPlace = new Set<string>()
  /** Id of the task that had the latest turn. */
  let latest: string = process
  /** Ids of tasks whose attempt counts in the database: those that were just claimed, and the one that has its turn. */
  const counted = new Set<string>()
  /** The change of a turn in the database: a task that ends meanwhile waits for it, to know whether its attempt counts. */
  let passing: Promise<void> = Promise.resolve()
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  function begin(task: ClaimedImport, isGuest: boolean): OpenTask {
    const { id, teamId } = task
    const controller = new AbortController()
    const turn = createTurn(controller.signal, { sliceMs, clock })
    let progress: TaskProgress | undefined
    const prolonging = setInterval(() => {
      const latestProgress = progress
      progress = undefined
      prolongClaim(db, process, task, { now: now(), progress: latestProgress })
        .then(isOurs => {
          if (!isOurs) controller.abort(new Error('the import was canceled'))
        })
        .catch(error =>
          log.warn({ reason: (error as Error).message }, 'the claim of an import was not prolonged'),
        )
    }, prolongMs)
    async function run(): Promise<void> {
      try {
        await turn.pass()
        await runTask(services, task, turn, given => {
          progress = given
        })
        log.info({ importId: id, task: task.state }, 'import task done')
      } catch (error) {
        await fail(task, error, controller.signal.aborted)
      } finally {
        clearInterval(prolonging)
        // Its claim is gone: the task may have begun anew already.
        if (open.get(id) === begun) {
          open.delete(id)
          counted.delete(id)
        }
      }
    }
    const ended = run().catch(error => log.warn({ reason: (error as Error).message }, 'imports'))
    const begun: OpenTask = {
      ...{ id, teamId, turn, isGuest, ended },
      stop: (reason: string) => controller.abort(new Error(reason)),
    }
    open.set(id, begun)
    counted.add(id)
    return begun
  }

  async function fail(task: ClaimedImport, error: unknown, isAborted: boolean): Promise<void> {
    if (isAborted) {
      await passing.catch(() => {})
      await releaseClaim(db, process, { id: task.id, isPaused: !counted.has(task.id) })
      return
    }
    log.warn({ importId: task.id, task: task.state, error }, 'an import failed; it will be tried again')
    await putOff(db, process, task, { now: now(), pauseMs: retryMs })
  }

  /** Chooses whose turn it is, among tasks that have begun and those that wait. */
  async function choose(): Promise<{ task?: OpenTask | undefined; isNew?: true }> {
    const begun = [...open.values()]
    const isFull = begun.length >= mostOpen
    if (!isFull) waitForPlace.clear()
    let chosen: OpenTask | undefined
    const claimed = await claimImport(db, process, now(), {
      exceptTeams: begun.map(({ teamId }) => teamId),
      exceptIds: [...waitForPlace],
      choose(waiting) {
        const next = teams.next<OpenTask | WaitingImport>([...begun, ...waiting])
        if (!next || !('turn' in next)) return next
        chosen = next
        return undefined
      },
    })
    return claimed ? { task: begin(claimed, isFull), isNew: true } : { task: chosen }
  }

  async function pass(to: OpenTask, isNew: boolean): Promise<void> {
    const from = latest
    await passTurn(db, process, { from, to: isNew ? null : to.id })
    counted.delete(from)
    counted.add(to.id)
  }

  /** Gives the next task a slice. @returns the pause until the next turn */
  async function takeTurn(): Promise<number> {
    const { task, isNew } = await choose()
    if (!task) return askMs
    if (isStopping) {
      // No turn is passed any more: a task that ends now has looked at which attempts count.
      task.stop('the process stops')
      return 0
    }
    if (task.id !== latest) passing = pass(task, isNew === true)
    await passing
    latest = task.id
    await Promise.race([task.turn.go(), task.ended])
    if (task.isGuest && open.has(task.id)) {
      task.stop('other teams have all places')
      waitForPlace.add(task.id)
      await task.ended
    }
    return 0
  }

  function tick() {
    running = takeTurn()
      .catch(error => {
        log.warn({ reason: (error as Error).message }, 'imports')
        return askMs
      })
      .then(pauseMs => {
        if (!isStopping) timer = setTimeout(tick, pauseMs)
      })
  }
  tick()

  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      const all = [...open.values()]
      for (const task of all) task.stop('the process stops')
      await running
      await Promise.all([...open.values(), ...all].map(({ ended }) => ended))
    },
  }
}
