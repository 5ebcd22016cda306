import { type BreakdownDimension, isOfSessionEnd } from '../../../platform/dimensions/dimensions.ts'
import { ENGAGEMENT, type View } from '../../../storage/columns/block.ts'
import type { Question } from '../question.ts'
import { type Keys, keysOf } from './keys.ts'
import { isSeen, type Selected, select } from './select.ts'
import { selectMoney } from './select-money.ts'

/** A value of a dimension, as a row of a breakdown has it. */
export interface ValueAsked {
  dimension: BreakdownDimension
  /** As it is stored: empty for `(none)`. */
  value: string
  /** Time zone of the site; the hours of `hour_of_week` are its. */
  zone: string
}

/** With a dimension, only what counts for its value. */
export type OfValue = ValueAsked | { dimension?: undefined }

/** What of a block counts for a value. */
export interface SelectedOfValue extends Pick<Selected, 'started' | 'inRange'> {
  block: Selected
  /** Whether all counts when its session starts, since sessions have the value when they are over. */
  isAtStart: boolean
  /** 1 for each engagement with the value, in sessions that saw the value; of other dimensions than those of hits there is none. */
  engaged: Uint8Array | undefined
}

/**
 * Selects what counts for a question or, of that, for one value: the hits in the range with it, and the sessions that started in the range and
 * have or saw it. Leaves out events that the service wrote.
 */
export function selectOfValue(view: View, question: Question, asked: OfValue): SelectedOfValue[] {
  const selected = select(view, question).filter(({ isService }) => !isService)
  if (asked.dimension === undefined) {
    return selected.map(block => {
      const { started, inRange } = block
      return { block, started, inRange, isAtStart: false, engaged: undefined }
    })
  }
  const keys = keysOf(view, asked.dimension, question, asked.zone)
  const key = keys.find(asked.value)
  const isAtStart = isOfSessionEnd(asked.dimension)
  return selected.map(block => narrow(block, keys, key, isAtStart))
}

function narrow(block: Selected, keys: Keys, key: number | undefined, isAtStart: boolean): SelectedOfValue {
  const { hits, inRange, started } = block
  const ofHits = keys.ofHits(block)
  const ofSessions = keys.ofSessions(block)
  const seen = new Uint8Array(started.length)
  for (let hit = 0; !ofSessions && hit < hits.count; hit++) {
    if (ofHits[hit] === key && isSeen(block, hit)) seen[hits.session[hit]!] = 1
  }
  const isOf = (session: number) => (ofSessions ? ofSessions[session] === key : seen[session] === 1)
  const isEngaged = (hit: number) => ofHits[hit] === key && seen[hits.session[hit]!] === 1
  return {
    block,
    isAtStart,
    inRange: inRange.map((passes, hit) => (!isAtStart && ofHits[hit] === key ? passes : 0)),
    started: started.map((passes, session) => (isOf(session) ? passes : 0)),
    engaged: ofSessions
      ? undefined
      : hits.type.map((type, hit) => (type === ENGAGEMENT && isEngaged(hit) ? 1 : 0)),
  }
}

/** Selects money, of one value only what counts for it: of a dimension of hits the money of sessions with such a hit in the range. */
export function selectMoneyOfValue(
  view: View,
  question: Question,
  currency: string,
  asked: OfValue,
): number[] {
  const { money } = view
  const { blocks, rows } = selectMoney(view, question, currency)
  if (asked.dimension === undefined) return rows
  const keys = keysOf(view, asked.dimension, question, asked.zone)
  const key = keys.find(asked.value)
  const ofMoney = keys.ofMoney(money)
  if (ofMoney) return rows.filter(row => ofMoney[row] === key)
  const sessionNos = new Set<number>()
  for (const block of blocks) {
    if (block.isService) continue
    const { hits, sessions, inRange } = block
    const ofHits = keys.ofHits(block)
    for (let hit = 0; hit < hits.count; hit++) {
      if (inRange[hit] === 1 && ofHits[hit] === key) sessionNos.add(sessions.no[hits.session[hit]!]!)
    }
  }
  return rows.filter(row => sessionNos.has(money.copies.sessions.no[money.session[row]!]!))
}
