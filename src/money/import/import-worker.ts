import { AppError } from '../../platform/errors.ts'
import { createTeamTurns } from '../../platform/lib/team-turns.ts'
import { pauseAfter } from './attempts.ts'
import { type DueImport, delay, end, findImport, release, selectDueImports } from './import-row.ts'
import { connectionToRead, finishImport, type ImportServices, isFinal, openImport } from './import-site.ts'
import { NotNow } from './read-page.ts'
import { createImport } from './run-import.ts'

const ASK_MS = 2_000
/** An account that answers slowly does not hold up those of other sites. */
const MOST_AT_ONCE = 4
/** One place is left for other teams: an import of theirs begins at once. */
const MOST_OF_TEAM = MOST_AT_ONCE - 1
/** Time after which an import gives its place to one that waits: it goes on in the next turn of its team. */
const SLICE_MS = 5_000

export interface RevenueImports {
  /** Ends each import after its present transaction, without waiting for the processor; another process goes on with it. */
  stop(): Promise<void>
}

/**
 * Works on the imports of payment processors that run. While more wait than there are places, teams take turns. A process may be killed at
 * any point.
 * @param options.clock milliseconds of any clock that does not go back; slices are measured with it
 */
export function startRevenueImports(
  services: ImportServices,
  { askMs = ASK_MS, sliceMs = SLICE_MS, clock = () => performance.now() } = {},
): RevenueImports {
  const { db, log, now } = services
  const stopping = new AbortController()
  const teams = createTeamTurns()
  const running = new Map<number, { teamId: string; work: Promise<void> }>()
  let isWaiting = false
  let timer: NodeJS.Timeout | undefined
  let asking: Promise<void> = Promise.resolve()

  async function begin(): Promise<void> {
    const due = await selectDueImports(db, { now: now() })
    for (;;) {
      const waiting = due.filter(({ siteNo }) => !running.has(siteNo))
      const next = running.size < MOST_AT_ONCE ? teams.next(waiting.filter(hasPlace)) : undefined
      isWaiting = waiting.length > (next ? 1 : 0)
      if (!next || stopping.signal.aborted) return
      run(next)
    }
  }

  const hasPlace = ({ teamId }: DueImport) =>
    [...running.values()].filter(other => other.teamId === teamId).length < MOST_OF_TEAM

  function run({ siteNo, siteId, teamId }: DueImport): void {
    const endsAt = clock() + sliceMs
    const isOver = () => isWaiting && clock() >= endsAt
    const work = continueImport(services, { siteNo, siteId }, isOver, stopping.signal)
      .catch(error => log.warn({ siteId, error }, 'import of a payment processor'))
      .finally(() => {
        running.delete(siteNo)
        if (isWaiting && !stopping.signal.aborted) ask()
      })
    running.set(siteNo, { teamId, work })
  }

  /** Looks for imports now, after the look that is under way. */
  function ask(): void {
    clearTimeout(timer)
    asking = asking
      .then(begin)
      .catch(error => log.warn({ error }, 'imports of payment processors'))
      .then(() => {
        clearTimeout(timer)
        if (!stopping.signal.aborted) timer = setTimeout(ask, askMs)
      })
  }
  ask()

  return {
    async stop() {
      stopping.abort(new Error('the process stops'))
      clearTimeout(timer)
      await asking
      await Promise.all([...running.values()].map(({ work }) => work))
    },
  }
}

/** Does the steps of an import that can be done now, until its slice is over, and notes why it cannot go on. */
async function continueImport(
  services: ImportServices,
  { siteNo, siteId }: { siteNo: number; siteId: string },
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, now } = services
  try {
    await doSteps(services, siteId, isOver, signal)
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

async function doSteps(
  services: ImportServices,
  siteId: string,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const connection = await connectionToRead(services, siteId)
  const { siteNo } = connection.site
  const tools = { ...openImport(services, connection), signal }
  const running = createImport(tools, connection)
  try {
    while (!signal.aborted && (await running.step()) && !isOver()) {}
    const left = signal.aborted ? undefined : await findImport(services.db, siteNo)
    if (left?.phase === 'done') await finishImport(services, siteNo)
  } finally {
    await release(services.db, { siteNo, holder: tools.holder })
  }
}
