import {
  DIMENSIONS,
  type Dimension,
  type DimensionOf,
  isHitDimension,
} from '../../platform/dimensions/dimensions.ts'
import { EVENT_TYPES, type EventType } from '../../platform/dimensions/event-types.ts'
import type { Vital } from '../../platform/dimensions/vitals.ts'
import type { SiteTexts } from './texts.ts'
import type { VisitorNumbers } from './visitor-numbers.ts'

export type HitDimension = DimensionOf<'hit'>
export type SessionDimension = Exclude<Dimension, HitDimension>

export const HIT_DIMENSIONS = DIMENSIONS.filter((name): name is HitDimension => isHitDimension(name))
export const SESSION_DIMENSIONS = DIMENSIONS.filter((name): name is SessionDimension => !isHitDimension(name))

/** Types of hits in blocks: a column holds the position in this list. */
export const BLOCK_TYPES = [...EVENT_TYPES, 'engagement'] as const
export const typeNumber = (type: EventType | 'engagement'): number => BLOCK_TYPES.indexOf(type)
export const PAGEVIEW = typeNumber('pageview')
export const EVENT = typeNumber('event')
export const ENGAGEMENT = typeNumber('engagement')

/** No scroll depth, no property: a number that no value has. */
export const NONE = -1

/** A column whose numbers are as short as its largest one allows: most are texts of few values, or empty. */
export type Numbers = Uint8Array | Uint16Array | Int32Array | Float64Array

/** Returns numbers, integers, as a column. */
export function numbersOf(numbers: ArrayLike<number>): Numbers {
  let [least, most] = [0, 0]
  for (let index = 0; index < numbers.length; index++) {
    least = Math.min(least, numbers[index]!)
    most = Math.max(most, numbers[index]!)
  }
  if (least < -(2 ** 31) || most >= 2 ** 31) return Float64Array.from(numbers)
  if (least < 0 || most >= 2 ** 16) return Int32Array.from(numbers)
  return most < 2 ** 8 ? Uint8Array.from(numbers) : Uint16Array.from(numbers)
}

/** Sessions of a block, one entry in each column. Times are Unix milliseconds; dimensions hold numbers of texts. */
export interface SessionColumns {
  count: number
  /** `session_no`; 0 and less stand for no session. */
  no: Float64Array
  /** Dense numbers of visitors, or `NO_VISITOR`. */
  visitor: Int32Array
  /** 1 where the visitor would be known again on another day (docs/metrics.md "Recognized"). */
  isRecognized: Uint8Array
  startedAt: Float64Array
  /** Times of the first and the last hit; engagement counts. */
  firstAt: Float64Array
  lastAt: Float64Array
  durationMs: Numbers
  pageviews: Numbers
  events: Numbers
  values: Record<SessionDimension, Numbers>
  /** Position of the first hit of each session, and of the end: `count + 1` entries. */
  firstHit: Int32Array
}

/** Hits of a block, those of a session side by side, in order of time and id. */
export interface HitColumns {
  count: number
  /** Position of the session in the block. */
  session: Int32Array
  at: Float64Array
  /** Position in `BLOCK_TYPES`. */
  type: Uint8Array
  values: Record<HitDimension, Numbers>
  /** Engagement: when its pageview was; 0 for other hits. */
  pageAt: Float64Array
  /** Engagement: percent, or `NONE`. */
  scroll: Int16Array
  /** Engagement: milliseconds. */
  engagedMs: Numbers
  /** Reported revenue: the text of its minor units; 0 for none. */
  revenue: Numbers
  /** Its currency; 0 for none. */
  currency: Numbers
  /** Fingerprint of the error; 0 for none. */
  error: Numbers
  /** Position of the first property of each hit, and of the end: `count + 1` entries. */
  firstProperty: Int32Array
  propertyKeys: Numbers
  propertyValues: Numbers
}

/** Web vitals of a block: reports of how fast pageviews were, in the order of these. */
export interface VitalColumns {
  count: number
  /** Position of the pageview among the hits; a report matches the filters that its pageview matches. */
  hit: Int32Array
  /** Milliseconds, of `cls` ten-thousandths; `NONE` where a report lacks the metric. */
  measures: Record<Vital, Int32Array>
  /** Elements that decided the values. */
  targets: Partial<Record<Vital, Int32Array>>
  /** Longest phases. */
  phases: Partial<Record<Vital, Int32Array>>
}

/** Sessions with their hits, by column. Never changed after it was built. */
export interface Block {
  /**
   * Whether its hits are events that the service wrote. Its sessions are copies then: such an event may belong to a session of any age.
   * What such a copy says of its start and its counts does not count. The copies of a money block have no hits.
   */
  isService: boolean
  sessions: SessionColumns
  hits: HitColumns
  vitals: VitalColumns
}

/** What a column takes besides its numbers, bytes: an array of one number takes 224. */
const BYTES_OF_COLUMN = 200

/** Returns about how much memory the columns of a block take, in bytes. */
export function bytesOf({ sessions, hits, vitals }: Block): number {
  const { measures, targets, phases } = vitals
  const all = [sessions, sessions.values, hits, hits.values, vitals, measures, targets, phases].flatMap(
    columns => Object.values(columns as Record<string, unknown>),
  )
  return all.reduce(
    (sum: number, column) => sum + (ArrayBuffer.isView(column) ? BYTES_OF_COLUMN + column.byteLength : 0),
    0,
  )
}

/** Payments and MRR movements, one entry in each column, in any order. Never changed after it was built. */
export interface MoneyBlock {
  count: number
  /** Copies of the sessions that they are attributed to, each once; one with the number 0 and empty values for all that have none. */
  copies: Block
  /** Position of the session among the copies. */
  session: Int32Array
  at: Float64Array
  currency: Int32Array
  /** Minor units: what is not refunded of a payment, the signed change of a movement. */
  amount: BigInt64Array
  /** Key of the customer; 0 for none. */
  customer: Int32Array
  /** Of a movement; 0 for payments. */
  subscription: Int32Array
  /** Kind of the whole MRR change that a movement is part of; 0 for none, and for payments. */
  kind: Int32Array
  /** Of payments. */
  isRecurring: Uint8Array
  /** Whether a payment is the first of its customer. */
  isFirst: Uint8Array
}

/** What a question is counted over: the blocks, and what their numbers stand for. */
export interface View {
  blocks: Block[]
  /** Payments in the time span, and all MRR movements before its end. */
  money: MoneyBlock
  texts: SiteTexts
  visitors: VisitorNumbers
}
