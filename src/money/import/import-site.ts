import { randomUUID } from 'node:crypto'
import type { Config } from '../../platform/config/config.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { findConnection, type OpenConnection } from '../processor/connection.ts'
import { connectStripe } from '../processor/stripe.ts'
import { type Pause, wait, withAttempts } from './attempts.ts'
import { type ImportCounts, noCounts } from './counts.ts'
import { end, findImport, type ImportRow, release, startImport } from './import-row.ts'
import { PHASES, type PhaseName } from './phases.ts'
import { askForPage, type GivenPage, readPage } from './read-page.ts'
import { BEGINNING, createImport, requireKey } from './run-import.ts'

export interface ImportServices {
  db: Db
  log: Log
  config: Pick<Config, 'secretKey' | 'stripeApiBase'>
  now: () => Date
}

/** Lists with many expanded objects take Stripe seconds. */
const TIMEOUT_MS = 60_000

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

/** What an import of this process works with. */
export function openImport(services: ImportServices, connection: OpenConnection) {
  const { stripeApiBase } = services.config
  const access = { apiKey: requireKey(connection), stripeApiBase }
  // Repeated attempts are ours: they keep what was read before.
  const stripe = connectStripe(access, { timeoutMs: TIMEOUT_MS, retries: 0 })
  return { ...services, stripe, stripeApiBase, holder: randomUUID() }
}

interface ImportOptions {
  from?: Date | null
  /** Called after each step. */
  onStep?: (row: ImportRow) => void
  pause?: Pause
}

/**
 * Imports the past of a site's processor, or continues the import that runs. It may be stopped at any point and run again.
 * @returns the import when it is finished
 * @throws AppError when it cannot go on: what was stored stays
 */
export async function importSite(
  services: ImportServices,
  siteId: string,
  { from = null, onStep, pause = wait }: ImportOptions = {},
): Promise<ImportRow> {
  const { db, now } = services
  const connection = await connectionToRead(services, siteId)
  const { siteNo } = connection.site
  const tools = openImport(services, connection)
  const running = createImport(tools, connection)
  await startImport(db, { siteNo, fromAt: from, ...BEGINNING(), now: now() })
  try {
    for (;;) {
      const row = await withAttempts(() => running.step(), pause)
      const left = row ?? (await findImport(db, siteNo))
      if (left) onStep?.(left)
      if (left?.phase === 'done') return await finishImport(services, siteNo)
      if (left?.state !== 'running')
        throw new AppError('unavailable', 'The import was ended by another process')
      // Another process works on it.
      if (!row) await pause(1)
    }
  } catch (error) {
    if (isFinal(error)) await end(db, { siteNo, state: 'failed', failure: error.message, now: now() })
    throw error
  } finally {
    await release(db, { siteNo, holder: tools.holder })
  }
}

/** Whether no further attempt can help. */
export const isFinal = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'bad_request' || error.code === 'not_found')

export async function finishImport({ db, now }: ImportServices, siteNo: number): Promise<ImportRow> {
  await end(db, { siteNo, state: 'finished', failure: null, now: now() })
  return (await findImport(db, siteNo))!
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
    pause = wait,
  }: Omit<ImportOptions, 'onStep'> & { onStep?: (phase: PhaseName, counts: ImportCounts) => void } = {},
): Promise<ImportCounts> {
  const { stripe } = openImport(services, await connectionToRead(services, siteId))
  const counts = noCounts()
  for (const phase of PHASES) {
    for (let after: string | null = null, isMore = true; isMore; isMore = after !== null) {
      const page: GivenPage = await withAttempts(() => askForPage(stripe, phase, after, from), pause)
      readPage(phase, page, counts, from)
      onStep?.(phase, counts)
      after = page.next
    }
  }
  return counts
}
