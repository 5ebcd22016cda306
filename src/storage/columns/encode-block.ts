import { createHash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { columnOf, DIMENSIONS, levelOf } from '../../platform/dimensions/dimensions.ts'
import { VITALS } from '../../platform/dimensions/vitals.ts'
import { BLOCK_TYPES, type Block, ENGAGEMENT, type HitColumns, type Numbers, numbersOf } from './block.ts'
import { type BlockTexts, withOwnTexts, withSiteTexts } from './block-texts.ts'
import type { Numbering } from './build-block.ts'
import { fill } from './fill.ts'
import { EMPTY } from './read-rows.ts'
import { NO_VISITOR, VisitorNumbers } from './visitor-numbers.ts'

/** Raise it when the same columns hold something else, or are encoded in another way. */
const ENCODING = 3

/** Returns a number of 32 bits that follows from the columns of a block, and from what their values stand for. */
export function formOf(block: Block, types: readonly string[], dimensions: readonly string[]): number {
  const described = JSON.stringify([ENCODING, block, types, dimensions], (_, value) =>
    ArrayBuffer.isView(value) ? value.constructor.name : value,
  )
  return createHash('sha256').update(described).digest().readInt32BE()
}

/** The form of blocks: stored ones of another form are made anew. */
export const FORM = formOf(
  EMPTY,
  BLOCK_TYPES,
  DIMENSIONS.map(name => `${name}: ${levelOf(name)} ${columnOf(name)}`),
)

/** A block whose texts and visitors have numbers of their own, and whose large numbers are differences. */
interface Encoded {
  texts: BlockTexts
  visitorNos: Numbers
  block: Block
}

/** Encodes a block of sessions in little space. */
export function encodeBlock(block: Block, { texts, visitors }: Numbering): Buffer {
  const own = withOwnTexts(block, texts)
  const { sessions, hits, vitals } = own.block
  const ownVisitors = new VisitorNumbers()
  const visitor = fill(new Int32Array(sessions.count), session => {
    const number = sessions.visitor[session]!
    return number === NO_VISITOR ? NO_VISITOR : ownVisitors.numberOf(visitors.visitorNo(number))
  })
  const visitorNos = fill(new Float64Array(ownVisitors.size), number => ownVisitors.visitorNo(number))
  const small = {
    isService: false,
    sessions: {
      ...sessions,
      no: differences(sessions.no),
      visitor: numbersOf(visitor),
      startedAt: differences(sessions.startedAt),
      firstAt: without(sessions.firstAt, sessions.startedAt),
      lastAt: without(sessions.lastAt, sessions.firstAt),
      firstHit: differences(sessions.firstHit),
    },
    hits: {
      ...hits,
      // Known by `firstHit`.
      session: [],
      at: numbersOf(
        fill(new Float64Array(hits.count), hit => hits.at[hit]! - before(hits, sessions.startedAt, hit)),
      ),
      pageAt: numbersOf(
        fill(new Float64Array(hits.count), hit =>
          hits.type[hit] === ENGAGEMENT ? hits.at[hit]! - hits.pageAt[hit]! : 0,
        ),
      ),
      scroll: numbersOf(hits.scroll),
      firstProperty: differences(hits.firstProperty),
    },
    vitals: {
      ...vitals,
      hit: differences(vitals.hit),
      measures: Object.fromEntries(VITALS.map(name => [name, numbersOf(vitals.measures[name])])),
    },
  } as unknown as Block
  return deflateRawSync(serialize({ texts: own.texts, visitorNos, block: small } satisfies Encoded))
}

/** Returns a block as it was encoded, with the numbers of a site. */
export function decodeBlock(data: Buffer, { texts, visitors }: Numbering): Block {
  const { texts: own, visitorNos, block } = deserialize(inflateRawSync(data)) as Encoded
  const { sessions, hits, vitals } = block
  const visitorOf = Int32Array.from(visitorNos, visitorNo => visitors.numberOf(visitorNo))
  const startedAt = sums(new Float64Array(sessions.count), sessions.startedAt)
  const firstAt = plus(sessions.firstAt, startedAt)
  const firstHit = sums(new Int32Array(sessions.count + 1), sessions.firstHit)
  const session = new Int32Array(hits.count)
  for (let index = 0; index < sessions.count; index++)
    session.fill(index, firstHit[index], firstHit[index + 1])
  const at = new Float64Array(hits.count)
  for (let hit = 0; hit < hits.count; hit++) at[hit] = before({ session, at }, startedAt, hit) + hits.at[hit]!
  const decoded = withSiteTexts(
    {
      isService: false,
      sessions: {
        ...sessions,
        no: sums(new Float64Array(sessions.count), sessions.no),
        visitor: fill(new Int32Array(sessions.count), index => {
          const visitor = sessions.visitor[index]!
          return visitor === NO_VISITOR ? NO_VISITOR : visitorOf[visitor]!
        }),
        startedAt,
        firstAt,
        lastAt: plus(sessions.lastAt, firstAt),
        firstHit,
      },
      hits: {
        ...hits,
        session,
        at,
        pageAt: fill(new Float64Array(hits.count), hit =>
          hits.type[hit] === ENGAGEMENT ? at[hit]! - hits.pageAt[hit]! : 0,
        ),
        scroll: Int16Array.from(hits.scroll),
        firstProperty: sums(new Int32Array(hits.count + 1), hits.firstProperty),
      },
      vitals: {
        ...vitals,
        hit: sums(new Int32Array(vitals.count), vitals.hit),
        measures: Object.fromEntries(
          VITALS.map(name => [name, Int32Array.from(vitals.measures[name])]),
        ) as Block['vitals']['measures'],
      },
    },
    own,
    texts,
  )
  return {
    ...decoded,
    sessions: onItsOwn(decoded.sessions),
    hits: onItsOwn(decoded.hits),
    vitals: onItsOwn(decoded.vitals),
  }
}

/** Copies columns that are parts of a larger buffer, which would stay in memory with them. */
function onItsOwn<Columns extends object>(columns: Columns): Columns {
  const own = Object.entries(columns).map(([name, column]) => [
    name,
    ArrayBuffer.isView(column) && column.buffer.byteLength > column.byteLength
      ? (column as Uint8Array).slice()
      : column,
  ])
  return Object.fromEntries(own)
}

/** Returns the time that a hit is stored as a difference to: that of the hit before, of the first one the start of its session. */
const before = ({ session, at }: Pick<HitColumns, 'session' | 'at'>, startedAt: Float64Array, hit: number) =>
  hit > 0 && session[hit - 1] === session[hit] ? at[hit - 1]! : startedAt[session[hit]!]!

const differences = (column: ArrayLike<number>) =>
  numbersOf(
    fill(new Float64Array(column.length), index => column[index]! - (index > 0 ? column[index - 1]! : 0)),
  )

function sums<Column extends Float64Array | Int32Array>(
  into: Column,
  differences: ArrayLike<number>,
): Column {
  let sum = 0
  return fill(into, index => {
    sum += differences[index]!
    return sum
  })
}

const without = (column: Float64Array, base: Float64Array) =>
  numbersOf(fill(new Float64Array(column.length), index => column[index]! - base[index]!))

const plus = (column: ArrayLike<number>, base: Float64Array) =>
  fill(new Float64Array(base.length), index => column[index]! + base[index]!)
