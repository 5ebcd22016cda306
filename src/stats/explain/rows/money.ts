import type { Queryable } from '../../../db/connect.ts'
import { query } from '../../../db/query.ts'
import { isHitDimension } from '../../../dimensions/dimensions.ts'
import { isUnfiltered, keptPart, type ResolvedQuery, wholePart } from '../../filters/resolved-query.ts'
import { hasManyPayments } from '../../metrics/money.ts'
import { type FilteredQuery, filteredQuery, type OptionsOf } from '../../sql/filtered-query.ts'
import type { Explained } from '../source.ts'
import { keptColumn } from '../value-money.ts'
import type { Subject } from '../value-traffic.ts'
import { type After, type PageParams, pageParams } from './cursor.ts'

/** A payment, and what it adds to each term; amounts are minor units as text. */
export interface CountedPayment {
  at: Date
  id: string
  transactionId: string | null
  customer: string | null
  sessionNo: number | null
  sessionAt: Date | null
  paid: string
  isRecurring: boolean
  isFirst: boolean
  isKept: boolean
}

/** A movement of recurring revenue. */
export interface CountedMovement {
  at: Date
  id: string
  subscriptionId: string
  kind: string
  sessionNo: number | null
  sessionAt: Date | null
  amount: string
}

/** Which payments are listed: those that are not wholly refunded, the recurring ones of them, or the first ones of customers. */
export type WantedPayments = 'kept' | 'recurring' | 'first'

type Params = PageParams & { currency: string }
type PaymentParams = Params & { wanted: string }

const listExplainedPayments = filteredQuery<PaymentParams, CountedPayment>('list-explained-payments', [
  'filtered_payments',
])
const listExplainedPaymentsOfHits = filteredQuery<PaymentParams, CountedPayment>(
  'list-explained-payments-of-hits',
  ['filtered_payments', 'filtered_hits'],
)
const listExplainedMovements = filteredQuery<Params, CountedMovement>('list-explained-movements', [
  'movements_in_range',
])
const listExplainedMovementsOfHits = filteredQuery<Params, CountedMovement>(
  'list-explained-movements-of-hits',
  ['movements_in_range', 'filtered_hits'],
)

type KeptParams = Params & { siteNo: number; start: Date; end: Date; column: string; value: string }
const listExplainedKeptPayments = query<KeptParams & { wanted: string }, CountedPayment>(
  'list-explained-kept-payments',
)
const listExplainedKeptMovements = query<KeptParams, CountedMovement>('list-explained-kept-movements')

const PAYMENT_LISTS = {
  any: listExplainedPayments,
  ofHits: listExplainedPaymentsOfHits,
  kept: listExplainedKeptPayments,
}
const MOVEMENT_LISTS = {
  any: listExplainedMovements,
  ofHits: listExplainedMovementsOfHits,
  kept: listExplainedKeptMovements,
}

interface Asked {
  subject: Subject | undefined
  after: After | undefined
  limit: number
}

/** Returns payments of the range in the currency of the site, the newest first. */
export const listCountedPayments = (
  explained: Explained,
  wanted: WantedPayments,
  asked: Asked,
): Promise<CountedPayment[]> => listMoney(PAYMENT_LISTS, { wanted }, explained, asked)

/** Returns movements of recurring revenue of the range, likewise. */
export const listCountedMovements = (explained: Explained, asked: Asked): Promise<CountedMovement[]> =>
  listMoney(MOVEMENT_LISTS, {}, explained, asked)

interface Lists<More, Row extends object> {
  any: FilteredQuery<Params & More, Row>
  ofHits: FilteredQuery<Params & More, Row>
  kept: (db: Queryable, params: KeptParams & More) => Promise<Row[]>
}

async function listMoney<More extends object, Row extends object>(
  { any, ofHits, kept }: Lists<More, Row>,
  more: More,
  { services, site, resolved }: Explained,
  { subject, after, limit }: Asked,
): Promise<Row[]> {
  const { currency, timezone: zone } = site
  const params = { ...pageParams(after, limit), currency, ...more }
  const source = subject ? keptPart(resolved) : unbounded(resolved)
  const column = subject && keptColumn(resolved, subject.dimension)
  if (subject && column) {
    const { siteNo, start, end } = source
    return kept(services.reads, { ...params, siteNo, start, end, column, value: subject.value })
  }
  const isMuch = await hasManyPayments(services, source)
  const statement = subject && isHitDimension(subject.dimension) ? ofHits : any
  const options = {
    params,
    hasManyPayments: isMuch,
    hasManyMovements: isMuch,
    ...(subject && { value: subject.dimension, values: [subject.value], zone }),
  }
  return statement(services.reads, source, ...([options] as unknown as OptionsOf<Params & More>))
}

const unbounded = (resolved: ResolvedQuery): ResolvedQuery =>
  isUnfiltered(resolved) ? wholePart(resolved) : resolved
