import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../runtime/log.ts'
import { findConnection, type OpenConnection } from '../processor/connection.ts'
import { connectStripe } from '../processor/stripe.ts'
import { type ImportCounts, noCounts } from './counts.ts'
import {
  delay,
  end,
  findImport,
  type ImportRow,
  release,
  selectDueImports,
  startImport,
} from './import-row.ts'
import { PHASES, type PhaseName } from './phases.ts'
import { askForPage, NotNow, readPage } from './read-page.ts'
import { BEGINNING, createImport, requireKey } from './run-import.ts'

export interface ImportServices {
  db: Db
  log: Log
  config: Pick<Config, 'secretKey' | 'stripeApiBase'>
  now: () => Date
}

/** Lists with many expanded objects take Stripe seconds. */
const TIMEOUT_MS = 60_000
/** Pause after the first failure that may pass; it doubles with each further one. */
const FIRST_PAUSE_S = 1
const LONGEST_PAUSE_S = 60
/** Failures in a row after which a command gives up. The service tries on. */
const MOST_FAILURES = 8
/** Time of one run in the service: other jobs wait this long, and so does a process that must stop. */
const BUDGET_MS = 3_000

/**
 * @throws AppError `not_found` without a connected processor, `bad_request` without an API key
 */
export async function connectionToRead(
  { db, config }: Pick<ImportServices, 'db' | 'config'>,
  siteId: string,
): Promise<OpenConnection> {
  const connection = await findConnection(db, siteId, config.secretKey)
  if (!connection) throw new AppError('not_found', 'No payment processor is connected to this site')
  requireKey(connection)
  return connection
}

function open(services: ImportServices, connection: OpenConnection) {
  const { stripeApiBase } = services.config
  const access = { apiKey: requireKey(connection), stripeApiBase }
  // Repeated attempts are ours: they keep what was read before.
  const stripe = connectStripe(access, { timeoutMs: TIMEOUT_MS, retries: 0 })
  return { ...services, stripe, stripeApiBase, holder: randomUUID() }
}

/** Seconds until the next attempt: what the processor asks for, else twice as long with each failure, with some chance. */
function pauseAfter(failures: number, { seconds }: NotNow): number {
  const own = Math.min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** failures) * (0.75 + Math.random() / 2)
  return Math.min(Math.max(seconds ?? 0, own), 10 * LONGEST_PAUSE_S)
}

interface ImportOptions {
  from?: Date | null
  /** Called after each step. */
  onStep?: (row: ImportRow) => void
  pause?: (seconds: number) => Promise<unknown>
}

/**
 * Imports the past of a site's processor, or continues the import that runs. It may be stopped at any point and run again.
 * @returns the import when it is finished
 * @throws AppError when it cannot go on: what was stored stays
 */
export async function importSite(
  services: ImportServices,
  siteId: string,
  { from = null, onStep, pause = seconds => sleep(seconds * 1000) }: ImportOptions = {},
): Promise<ImportRow> {
  const { db, now } = services
  const connection = await connectionToRead(services, siteId)
  const { siteNo } = connection.site
  const tools = open(services, connection)
  const running = createImport(tools, connection)
  await startImport(db, { siteNo, fromAt: from, ...BEGINNING(), now: now() })
  try {
    for (let failures = 0; ; ) {
      try {
        const row = await running.step()
        failures = 0
        const left = row ?? (await findImport(db, siteNo))
        if (left) onStep?.(left)
        if (left?.phase === 'done') return await finish(services, siteNo)
        if (left?.state !== 'running')
          throw new AppError('unavailable', 'The import was ended by another process')
        // Another process works on it.
        if (!row) await pause(1)
      } catch (error) {
        if (!(error instanceof NotNow)) throw error
        if (++failures > MOST_FAILURES) throw new AppError('unavailable', error.message, { cause: error })
        await pause(pauseAfter(failures - 1, error))
      }
    }
  } catch (error) {
    if (isFinal(error)) await end(db, { siteNo, state: 'failed', failure: error.message, now: now() })
    throw error
  } finally {
    await release(db, { siteNo, holder: tools.holder })
  }
}

const isFinal = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'bad_request' || error.code === 'not_found')

async function finish({ db, now }: ImportServices, siteNo: number): Promise<ImportRow> {
  await end(db, { siteNo, state: 'finished', failure: null, now: now() })
  return (await findImport(db, siteNo))!
}

/**
 * Works on the imports that run, the oldest first, for up to three seconds.
 * @returns true when more can be done at once
 */
export async function importDueSites(services: ImportServices): Promise<boolean> {
  const { db, log, now } = services
  const endsAt = performance.now() + BUDGET_MS
  let isMore = false
  for (const { siteNo, siteId } of await selectDueImports(db, { now: now() })) {
    if (performance.now() >= endsAt) return true
    try {
      if (await importFor(services, siteId, endsAt)) isMore = true
    } catch (error) {
      const failure = (error as Error).message
      log.warn({ siteId, failure }, 'the import of the past of the payment processor stopped')
      if (isFinal(error)) await end(db, { siteNo, state: 'failed', failure, now: now() })
      else {
        const failures = (await findImport(db, siteNo))?.failures ?? 0
        const cause = error instanceof NotNow ? error : new NotNow(failure, undefined, error)
        const retryAt = new Date(now().getTime() + pauseAfter(failures, cause) * 1000)
        const shown =
          error instanceof NotNow || error instanceof AppError
            ? failure
            : 'An internal error; it is tried again'
        await delay(db, { siteNo, failure: shown, retryAt })
      }
    }
  }
  return isMore
}

/** @returns whether it has more to do */
async function importFor(services: ImportServices, siteId: string, endsAt: number): Promise<boolean> {
  const connection = await connectionToRead(services, siteId)
  const { siteNo } = connection.site
  const tools = open(services, connection)
  const running = createImport(tools, connection)
  try {
    while (performance.now() < endsAt) {
      const row = await running.step()
      if (row) continue
      const left = await findImport(services.db, siteNo)
      if (left?.phase === 'done') await finish(services, siteNo)
      return false
    }
    return true
  } finally {
    await release(services.db, { siteNo, holder: tools.holder })
  }
}

/**
 * Reads the account without storing anything.
 * @returns the counts that an import would have
 */
export async function countAccount(
  services: ImportServices,
  siteId: string,
  {
    from = null,
    onStep,
    pause = seconds => sleep(seconds * 1000),
  }: Omit<ImportOptions, 'onStep'> & { onStep?: (phase: PhaseName, counts: ImportCounts) => void } = {},
): Promise<ImportCounts> {
  const { stripe } = open(services, await connectionToRead(services, siteId))
  const counts = noCounts()
  for (const phase of PHASES) {
    for (let after: string | null = null, failures = 0, isMore = true; isMore; ) {
      try {
        const page = await askForPage(stripe, phase, after, from)
        readPage(phase, page, counts, from)
        onStep?.(phase, counts)
        failures = 0
        after = page.next
        isMore = after !== null
      } catch (error) {
        if (!(error instanceof NotNow)) throw error
        if (++failures > MOST_FAILURES) throw new AppError('unavailable', error.message, { cause: error })
        await pause(pauseAfter(failures - 1, error))
      }
    }
  }
  return counts
}
