import { VITALS, VITALS_OF_PHASES, VITALS_OF_TARGETS } from '../../platform/dimensions/vitals.ts'
import {
  type Block,
  HIT_DIMENSIONS,
  type HitColumns,
  type MoneyBlock,
  type Numbers,
  SESSION_DIMENSIONS,
  type SessionColumns,
  type VitalColumns,
} from './block.ts'
import { lowerBound } from './positions.ts'

type Column = Numbers | Int16Array
/** Changes a column: puts together those of several blocks, or cuts a part out of one. */
type Change = <Changed extends Column>(of: (part: Block) => Changed) => Changed

/** Joins blocks of one numbering, in the order of their spans. */
export function joinBlocks(blocks: readonly Block[]): Block {
  const sessions = blocks.map(block => block.sessions)
  const hits = blocks.map(block => block.hits)
  const change: Change = of => join(blocks.map(of))
  return {
    isService: blocks[0]!.isService,
    sessions: sessionColumns(change, {
      count: totalOf(sessions),
      firstHit: joinPositions(
        sessions.map(({ firstHit }) => firstHit),
        totalOf(hits),
      ),
    }),
    hits: hitColumns(change, {
      count: totalOf(hits),
      session: joinSessionsOf(blocks),
      firstProperty: joinPositions(
        hits.map(({ firstProperty }) => firstProperty),
        hits.reduce((sum, { propertyKeys }) => sum + propertyKeys.length, 0),
      ),
      propertyKeys: change(block => block.hits.propertyKeys),
      propertyValues: change(block => block.hits.propertyValues),
    }),
    vitals: vitalColumns(change, joinedHits(blocks)),
  }
}

/** Joins blocks of money of one numbering. A session of several blocks has a copy of each. */
export function joinMoney(blocks: readonly MoneyBlock[]): MoneyBlock {
  const change = <Changed extends Column | BigInt64Array>(of: (part: MoneyBlock) => Changed) =>
    join(blocks.map(of))
  return {
    count: totalOf(blocks),
    copies: joinBlocks(blocks.map(({ copies }) => copies)),
    session: joinShifted(
      blocks.map(({ session }) => session),
      blocks.map(({ copies }) => copies.sessions.count),
    ),
    at: change(({ at }) => at),
    currency: change(({ currency }) => currency),
    amount: change(({ amount }) => amount),
    customer: change(({ customer }) => customer),
    subscription: change(({ subscription }) => subscription),
    kind: change(({ kind }) => kind),
    isRecurring: change(({ isRecurring }) => isRecurring),
    isFirst: change(({ isFirst }) => isFirst),
  }
}

/** Returns the part of a block with some of its sessions, from `first` to before `end`. */
export function cutBlock(block: Block, first: number, end: number): Block {
  const { firstHit } = block.sessions
  const [firstOfHits, endOfHits] = [firstHit[first]!, firstHit[end]!]
  const { firstProperty } = block.hits
  const [firstOfProperties, endOfProperties] = [firstProperty[firstOfHits]!, firstProperty[endOfHits]!]
  const [firstReport, endReport] = [firstOfHits, endOfHits].map(hit => lowerBound(block.vitals.hit, hit))
  return {
    isService: block.isService,
    sessions: sessionColumns(of => of(block).slice(first, end) as never, {
      count: end - first,
      firstHit: firstHit.slice(first, end + 1).map(hit => hit - firstOfHits),
    }),
    hits: hitColumns(of => of(block).slice(firstOfHits, endOfHits) as never, {
      count: endOfHits - firstOfHits,
      session: block.hits.session.slice(firstOfHits, endOfHits).map(session => session - first),
      firstProperty: firstProperty
        .slice(firstOfHits, endOfHits + 1)
        .map(property => property - firstOfProperties),
      propertyKeys: block.hits.propertyKeys.slice(firstOfProperties, endOfProperties),
      propertyValues: block.hits.propertyValues.slice(firstOfProperties, endOfProperties),
    }),
    vitals: vitalColumns(
      of => of(block).slice(firstReport, endReport) as never,
      block.vitals.hit.slice(firstReport, endReport).map(hit => hit - firstOfHits),
    ),
  }
}

function sessionColumns(change: Change, others: Pick<SessionColumns, 'count' | 'firstHit'>): SessionColumns {
  const values = {} as SessionColumns['values']
  for (const dimension of SESSION_DIMENSIONS)
    values[dimension] = change(({ sessions }) => sessions.values[dimension])
  return {
    ...others,
    no: change(({ sessions }) => sessions.no),
    visitor: change(({ sessions }) => sessions.visitor),
    isRecognized: change(({ sessions }) => sessions.isRecognized),
    startedAt: change(({ sessions }) => sessions.startedAt),
    firstAt: change(({ sessions }) => sessions.firstAt),
    lastAt: change(({ sessions }) => sessions.lastAt),
    durationMs: change(({ sessions }) => sessions.durationMs),
    pageviews: change(({ sessions }) => sessions.pageviews),
    events: change(({ sessions }) => sessions.events),
    values,
  }
}

type Positions = 'count' | 'session' | 'firstProperty' | 'propertyKeys' | 'propertyValues'

function hitColumns(change: Change, others: Pick<HitColumns, Positions>): HitColumns {
  const values = {} as HitColumns['values']
  for (const dimension of HIT_DIMENSIONS) values[dimension] = change(({ hits }) => hits.values[dimension])
  return {
    ...others,
    at: change(({ hits }) => hits.at),
    type: change(({ hits }) => hits.type),
    values,
    pageAt: change(({ hits }) => hits.pageAt),
    scroll: change(({ hits }) => hits.scroll),
    engagedMs: change(({ hits }) => hits.engagedMs),
    revenue: change(({ hits }) => hits.revenue),
    currency: change(({ hits }) => hits.currency),
    error: change(({ hits }) => hits.error),
  }
}

function vitalColumns(change: Change, hit: Int32Array): VitalColumns {
  const columns = { measures: {}, targets: {}, phases: {} } as Pick<
    VitalColumns,
    'measures' | 'targets' | 'phases'
  >
  for (const metric of VITALS) columns.measures[metric] = change(({ vitals }) => vitals.measures[metric])
  for (const metric of VITALS_OF_TARGETS)
    columns.targets[metric] = change(({ vitals }) => vitals.targets[metric]!)
  for (const metric of VITALS_OF_PHASES)
    columns.phases[metric] = change(({ vitals }) => vitals.phases[metric]!)
  return { count: hit.length, hit, ...columns }
}

const totalOf = (parts: readonly { count: number }[]) => parts.reduce((sum, { count }) => sum + count, 0)

function join<Joined extends Column | BigInt64Array>(columns: Joined[]): Joined {
  const length = columns.reduce((sum, column) => sum + column.length, 0)
  const widest = columns.reduce((a, b) => (b.BYTES_PER_ELEMENT > a.BYTES_PER_ELEMENT ? b : a))
  const joined = new (widest.constructor as new (length: number) => Joined)(length)
  let at = 0
  for (const column of columns) {
    joined.set(column as never, at)
    at += column.length
  }
  return joined
}

/** Joins lists of positions, each with its end as the last entry. */
function joinPositions(lists: Int32Array[], end: number): Int32Array {
  const joined = new Int32Array(lists.reduce((sum, list) => sum + list.length - 1, 1))
  let at = 0
  let offset = 0
  for (const list of lists) {
    for (const position of list.subarray(0, -1)) joined[at++] = position + offset
    offset += list.at(-1)!
  }
  joined[at] = end
  return joined
}

const joinSessionsOf = (blocks: readonly Block[]) =>
  joinShifted(
    blocks.map(({ hits }) => hits.session),
    blocks.map(({ sessions }) => sessions.count),
  )

const joinedHits = (blocks: readonly Block[]) =>
  joinShifted(
    blocks.map(({ vitals }) => vitals.hit),
    blocks.map(({ hits }) => hits.count),
  )

/** Joins columns of positions in what blocks have of something; `counts` says how much each has. */
function joinShifted(columns: Int32Array[], counts: number[]): Int32Array {
  const joined = join(columns)
  let at = 0
  let offset = 0
  for (const [index, { length }] of columns.entries()) {
    for (const end = at + length; at < end; at++) joined[at]! += offset
    offset += counts[index]!
  }
  return joined
}
