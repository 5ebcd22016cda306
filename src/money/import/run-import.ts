import type { Stripe } from 'stripe'
import type { Db, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { abortable } from '../../platform/lib/abortable.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { lockConnection, type OpenConnection } from '../processor/connection.ts'
import { type Fact, pastId } from '../processor/event.ts'
import { askDueLookups } from '../receive-event.ts'
import { inProcessorTransaction } from '../transactions.ts'
import { noCounts } from './counts.ts'
import { analyzeFacts, deriveNext, workLeft } from './derive-work.ts'
import { advance, type ImportRow, type Step, take } from './import-row.ts'
import { PHASES } from './phases.ts'
import { askForPage, type GivenPage, ListChanged, readPage } from './read-page.ts'
import { storeFacts } from './store-facts.ts'

export interface ImportTools {
  db: Db
  log: Log
  stripe: Stripe
  /** Base URL of the processor's API; undefined for Stripe's own. */
  stripeApiBase: string | undefined
  now: () => Date
  /** Says which process works on it. */
  holder: string
  /** Ends a wait for the processor. */
  signal?: AbortSignal
}

/** When the charges with one of these ids were made, Unix milliseconds. */
const selectChargeTimes = query<{ siteNo: number; ids: string[] }, { saleIds: string[]; createdAt: number }>(
  'select-charge-times',
  `select sale_ids as "saleIds", (body ->> 'createdAt')::bigint as "createdAt"
  from processor_facts
  where site_no = :siteNo and kind = 'charge' and sale_ids && :ids::text[] and body ? 'createdAt'`,
)

const deleteOtherDiscounts = query<{ siteNo: number; eventIds: string[]; discountIds: string[] }>(
  'delete-other-past-discounts',
  `delete from processor_facts
  where
    site_no = :siteNo
    and kind = 'discount'
    and event_id = any(:eventIds::text[])
    and object_id <> all(:discountIds::text[])`,
)

/** Reads an account page by page, then derives what was read. Each step is one transaction, after which it may be interrupted. */
export function createImport(tools: ImportTools, connection: OpenConnection) {
  const { db, log, stripe } = tools
  const { siteNo } = connection.site
  /** The page after the present one, asked for while that is stored. */
  let ahead: { key: string; page: Promise<GivenPage> } | undefined

  function ask(phase: (typeof PHASES)[number], after: string | null, from: Date | null): Promise<GivenPage> {
    const key = `${phase}/${after}`
    if (ahead?.key === key) {
      const { page } = ahead
      ahead = undefined
      return page
    }
    return askForPage(stripe, phase, after, from)
  }

  async function readNext(row: ImportRow, phase: (typeof PHASES)[number]): Promise<void> {
    const { fromAt, reached } = row
    const to = (next: Step, after: string | null) => (tx: Transaction) =>
      advance(tx, { siteNo, holder: tools.holder, phase: next, reached: after, counts: row.counts })
    let page: GivenPage
    try {
      page = await abortable(ask(phase, reached, fromAt), tools.signal)
    } catch (error) {
      if (!(error instanceof ListChanged)) throw error
      // Its beginning is read again, which stores nothing twice. Counts of it are not exact then.
      await db.begin(to(phase, null))
      return
    }
    if (page.next !== null) {
      ahead = { key: `${phase}/${page.next}`, page: askForPage(stripe, phase, page.next, fromAt) }
      // Its failure is seen when it is asked for.
      ahead.page.catch(() => {})
    }
    const facts = readPage(phase, page, row.counts, fromAt)
    const note = page.next === null ? to(after(phase), null) : to(phase, page.next)
    await inProcessorTransaction(db, siteNo, async tx => {
      await lockConnection(tx, connection)
      if (phase === 'customers') await dropOtherDiscounts(tx, page, facts)
      if (phase === 'checkouts') await dateCheckouts(tx, facts)
      await storeFacts(tx, siteNo, facts)
      await note(tx)
    })
    if (page.next === null && after(phase) === 'deriving') await analyzeFacts(db)
  }

  /** A discount that an earlier import has read may be gone. */
  async function dropOtherDiscounts(tx: Transaction, { objects }: GivenPage, facts: readonly Fact[]) {
    const discountIds = facts.filter(({ kind }) => kind === 'discount').map(({ objectId }) => objectId)
    const eventIds = objects.map(({ id }) => pastId(id))
    if (eventIds.length > 0) await deleteOtherDiscounts(tx, { siteNo, eventIds, discountIds })
  }

  /** A checkout has the time at which it was opened; it was paid when its charge was made. */
  async function dateCheckouts(tx: Transaction, facts: readonly Fact[]): Promise<void> {
    const ids = facts.filter(({ body }) => body !== null).flatMap(({ saleIds }) => saleIds)
    const times = new Map<string, number>()
    for (const { saleIds, createdAt } of await selectChargeTimes(tx, { siteNo, ids })) {
      for (const id of saleIds) times.set(id, createdAt)
    }
    for (const fact of facts) {
      const paidAt = fact.saleIds.map(id => times.get(id)).find(time => time !== undefined)
      if (paidAt !== undefined) fact.at = new Date(paidAt)
    }
  }

  return {
    /**
     * Does the next step.
     * @returns the import as it was before the step; undefined when it is finished, or another process works on it
     * @throws NotNow when the processor cannot answer now; AppError when the import cannot go on
     */
    async step(): Promise<ImportRow | undefined> {
      const row = await take(db, siteNo, tools.holder)
      if (!row || row.phase === 'done') return undefined
      if (row.phase !== 'deriving') await readNext(row, row.phase)
      else if (!(await deriveNext({ db, log }, { siteNo }, connection))) {
        await abortable(askDueLookups(tools, connection), tools.signal)
        const isDone = (await workLeft(db, siteNo)) === 0
        const next = { siteNo, holder: tools.holder, phase: 'done' as const, reached: null }
        if (isDone) await db.begin(tx => advance(tx, { ...next, counts: row.counts }))
      }
      return row
    },
  }
}

const after = (phase: (typeof PHASES)[number]): Step => PHASES[PHASES.indexOf(phase) + 1] ?? 'deriving'

/** What a new import begins with. */
export const BEGINNING = () => ({ phase: PHASES[0], counts: noCounts() })

/** @throws AppError `bad_request` without an API key */
export function requireKey({ apiKey }: OpenConnection): string {
  if (apiKey) return apiKey
  throw new AppError('bad_request', 'The connection has no API key: connect the processor again with one')
}
