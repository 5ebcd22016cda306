import { AppError } from '../../errors.ts'
import { pauseAfter } from './attempts.ts'
import { delay, end, findImport, release, selectDueImports } from './import-row.ts'
import { connectionToRead, finishImport, type ImportServices, isFinal, openImport } from './import-site.ts'
import { NotNow } from './read-page.ts'
import { createImport } from './run-import.ts'

const ASK_MS = 2_000
/** An account that answers slowly does not hold up those of other sites. */
const MOST_AT_ONCE = 4

export interface RevenueImports {
  /** Ends each import after its present transaction, without waiting for the processor; another process goes on with it. */
  stop(): Promise<void>
}

/** Works on the imports of payment processors that run, the oldest first. A process may be killed at any point. */
export function startRevenueImports(services: ImportServices, { askMs = ASK_MS } = {}): RevenueImports {
  const { db, log, now } = services
  const stopping = new AbortController()
  const running = new Map<number, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let asking: Promise<void> = Promise.resolve()

  async function begin(): Promise<void> {
    for (const { siteNo, siteId } of await selectDueImports(db, { now: now() })) {
      if (stopping.signal.aborted || running.size >= MOST_AT_ONCE) return
      if (running.has(siteNo)) continue
      const work = continueImport(services, { siteNo, siteId }, stopping.signal)
        .catch(error => log.warn({ siteId, error }, 'import of a payment processor'))
        .finally(() => running.delete(siteNo))
      running.set(siteNo, work)
    }
  }

  function tick() {
    asking = begin()
      .catch(error => log.warn({ error }, 'imports of payment processors'))
      .then(() => {
        if (!stopping.signal.aborted) timer = setTimeout(tick, askMs)
      })
  }
  tick()

  return {
    async stop() {
      stopping.abort(new Error('the process stops'))
      clearTimeout(timer)
      await asking
      await Promise.all(running.values())
    },
  }
}

/** Does all steps of an import that can be done now, and notes why it cannot go on. */
async function continueImport(
  services: ImportServices,
  { siteNo, siteId }: { siteNo: number; siteId: string },
  signal: AbortSignal,
): Promise<void> {
  const { db, log, now } = services
  try {
    await doSteps(services, siteId, signal)
  } catch (error) {
    if (signal.aborted) return
    const failure = (error as Error).message
    log.warn({ siteId, failure }, 'the import of the past of the payment processor stopped')
    if (isFinal(error)) {
      await end(db, { siteNo, state: 'failed', failure, now: now() })
      return
    }
    const failures = (await findImport(db, siteNo))?.failures ?? 0
    const isPassing = error instanceof NotNow
    const seconds = pauseAfter(failures, isPassing ? error : { seconds: undefined })
    await delay(db, {
      siteNo,
      failure: isPassing || error instanceof AppError ? failure : 'An internal error; it is tried again',
      retryAt: new Date(now().getTime() + seconds * 1000),
    })
  }
}

async function doSteps(services: ImportServices, siteId: string, signal: AbortSignal): Promise<void> {
  const connection = await connectionToRead(services, siteId)
  const { siteNo } = connection.site
  const tools = { ...openImport(services, connection), signal }
  const running = createImport(tools, connection)
  try {
    while (!signal.aborted && (await running.step())) {}
    const left = signal.aborted ? undefined : await findImport(services.db, siteNo)
    if (left?.phase === 'done') await finishImport(services, siteNo)
  } finally {
    await release(services.db, { siteNo, holder: tools.holder })
  }
}
