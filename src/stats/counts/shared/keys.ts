import { type BreakdownDimension, isHitDimension } from '../../../platform/dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../../platform/dimensions/registry.ts'
import { ERRORS } from '../../../platform/dimensions/rolled-up.ts'
import { HOUR_MS } from '../../../platform/lib/time.ts'
import { zoneOffsets } from '../../../platform/time/zone-offsets.ts'
import type { Block, MoneyBlock, Numbers, View } from '../../../storage/columns/block.ts'
import { fill } from '../../../storage/columns/fill.ts'
import type { Question } from '../question.ts'
import { columnOf } from './select.ts'

const HOURS = 168

/** What hits and sessions are counted by: a number for each value of a dimension. */
export interface Keys {
  /** How many numbers there are. */
  count: number
  /** Number of hits without a value that counts; undefined where each has one. */
  none?: number
  /** Key of each hit of a block. */
  ofHits(block: Block): Numbers
  /** Key of each session of a block; undefined where the values are those of hits. */
  ofSessions(block: Block): Numbers | undefined
  /** Key of each payment and movement, the hour being its own; undefined where the values are those of hits. */
  ofMoney(money: MoneyBlock): Numbers | undefined
  text(key: number): string
  /** Returns the key of a value; undefined where it occurs nowhere. */
  find(value: string): number | undefined
}

/** @param zone whose clocks say the hour of `hour_of_week` */
export function keysOf(
  view: View,
  dimension: BreakdownDimension | typeof ERRORS,
  range: Pick<Question, 'start' | 'end'>,
  zone: string,
): Keys {
  if (dimension === HOUR_OF_WEEK) return hourKeys(range, zone)
  if (dimension === ERRORS) return errorKeys(view)
  const texts = view.texts.ofDimension(dimension)
  const isOfHits = isHitDimension(dimension)
  return {
    count: texts.size,
    ofHits: block => (isOfHits ? columnOf(block, dimension) : spread(block.hits, columnOf(block, dimension))),
    ofSessions: block => (isOfHits ? undefined : columnOf(block, dimension)),
    ofMoney: money => (isOfHits ? undefined : spread(money, columnOf(money.copies, dimension))),
    text: key => texts.text(key),
    find: value => texts.find(value),
  }
}

/** Hits that are no errors have the number 0. */
function errorKeys({ texts }: View): Keys {
  const errors = texts.of('error')
  return {
    count: errors.size,
    none: 0,
    ofHits: ({ hits }) => hits.error,
    ofSessions: () => undefined,
    ofMoney: () => undefined,
    text: key => errors.text(key),
    find: value => errors.find(value),
  }
}

/** Returns the value of its session for each hit or row of money. */
function spread({ session }: { session: Numbers }, column: Numbers): Numbers {
  const keys = new Int32Array(session.length)
  for (let hit = 0; hit < keys.length; hit++) keys[hit] = column[session[hit]!]!
  return keys
}

function hourKeys({ start, end }: Pick<Question, 'start' | 'end'>, zone: string): Keys {
  const { offsetStarts, offsets } = zoneOffsets(zone, start, end)
  const starts = offsetStarts.map(at => at.getTime())
  const hourAt = (at: number) => {
    let index = starts.length - 1
    while (index > 0 && at < starts[index]!) index -= 1
    // Monday, 5 January 1970, is four days after the epoch.
    const hour = (Math.floor((at + offsets[index]! * 1_000) / HOUR_MS) % HOURS) - 96
    return (hour + 2 * HOURS) % HOURS
  }
  return {
    count: HOURS,
    ofHits: ({ hits }) => fill(new Int32Array(hits.count), hit => hourAt(hits.at[hit]!)),
    ofSessions: ({ sessions }) =>
      fill(new Int32Array(sessions.count), session => hourAt(sessions.startedAt[session]!)),
    ofMoney: ({ at }) => fill(new Int32Array(at.length), row => hourAt(at[row]!)),
    text: key => HOUR_TEXTS[key]!,
    find: value => (HOUR_TEXTS.includes(value) ? HOUR_TEXTS.indexOf(value) : undefined),
  }
}

const HOUR_TEXTS = Array.from(
  { length: HOURS },
  (_, key) => `${Math.floor(key / 24) + 1}-${String(key % 24).padStart(2, '0')}`,
)
