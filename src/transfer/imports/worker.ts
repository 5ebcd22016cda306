import { randomUUID } from 'node:crypto'
import { type ClaimedImport, claimImport, prolongClaim, putOff, releaseClaim } from './claims.ts'
import type { ImportServices, TaskProgress } from './import-kind.ts'
import { runTask } from './run-task.ts'

const ASK_MS = 2_000
const PROLONG_MS = 3_000
/** Pause after a failure that another try may mend, such as a full disk: others may do their tasks meanwhile. */
const RETRY_MS = 30_000

export interface ImportWorker {
  /** Stops the running task after its batch; another process goes on with it. */
  stop(): Promise<void>
}

/**
 * Works on imports, one after the other. Several processes work on different ones, one at a time for each site. A task whose process
 * was killed is taken over by another; everything that a task does can be done again.
 */
export function startImportWorker(
  services: ImportServices,
  { askMs = ASK_MS, prolongMs = PROLONG_MS, retryMs = RETRY_MS } = {},
): ImportWorker {
  const { db, log, now } = services
  const process = randomUUID()
  let isStopping = false
  let abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function runNext(): Promise<number> {
    const task = await claimImport(db, process, now())
    if (!task) return askMs
    const controller = new AbortController()
    abort = controller
    if (isStopping) abort.abort()
    let progress: TaskProgress | undefined
    const prolonging = setInterval(() => {
      const latest = progress
      progress = undefined
      prolongClaim(db, process, task, { now: now(), progress: latest })
        .then(isOurs => {
          if (!isOurs) controller.abort(new Error('the import was canceled'))
        })
        .catch(error =>
          log.warn({ reason: (error as Error).message }, 'the claim of an import was not prolonged'),
        )
    }, prolongMs)
    try {
      await runTask(services, task, controller.signal, latest => {
        progress = latest
      })
      log.info({ importId: task.id, task: task.state }, 'import task done')
      return 0
    } catch (error) {
      return await fail(task, error, controller.signal.aborted)
    } finally {
      clearInterval(prolonging)
    }
  }

  async function fail(task: ClaimedImport, error: unknown, isAborted: boolean): Promise<number> {
    if (isAborted) {
      await releaseClaim(db, process, task)
      return 0
    }
    log.warn({ importId: task.id, task: task.state, error }, 'an import failed; it will be tried again')
    await putOff(db, process, task, { now: now(), pauseMs: retryMs })
    return askMs
  }

  function tick() {
    running = runNext()
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
      abort.abort(new Error('the process stops'))
      await running
    },
  }
}
