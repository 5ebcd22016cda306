import { type Block, ENGAGEMENT, type Numbers, PAGEVIEW, type View } from '../../storage/columns/block.ts'
import { countSteps, END } from '../journeys/count-steps.ts'
import type { Journeys, JourneysQuery } from '../journeys/journeys-query.ts'
import type { Question } from './question.ts'
import { type ByteOrder, byteOrder } from './shared/byte-order.ts'
import { columnOf, select } from './shared/select.ts'

export interface JourneysAsked extends Pick<JourneysQuery, 'by' | 'steps' | 'branches'> {
  value: string
  isBackwards: boolean
  /** Whether filters on hits select the hits themselves, and not only their sessions. */
  isNarrowed: boolean
}

/** Counts which way sessions that started in the range go from a value, or came to it (docs/metrics.md "Journeys"). */
export function countJourneys(view: View, question: Question, asked: JourneysAsked): Journeys['steps'] {
  const { by, value, isBackwards, isNarrowed, steps, branches } = asked
  const texts = view.texts.ofDimension(by)
  const chosen = texts.find(value)
  if (chosen === undefined) return []
  const order = byteOrder(texts)
  const found: number[][] = []
  for (const block of select(view, question)) {
    const column = columnOf(block, by)
    const { firstHit } = block.sessions
    const hasChosen = (session: number) => {
      for (let hit = firstHit[session]!; hit < firstHit[session + 1]!; hit++)
        if (column[hit] === chosen) return true
      return false
    }
    for (let session = 0; session < block.sessions.count; session++) {
      if (block.started[session] === 0 || !hasChosen(session)) continue
      const marked = isNarrowed ? block.inRange : undefined
      const values = valuesOf(block, session, by === 'event_name', column, order, marked)
      const journey = journeyFrom(values, order.rankOf[chosen]!, { isBackwards, steps })
      if (journey) found.push(journey)
    }
  }
  const width = steps + 1
  const all = new Int32Array(found.length * width).fill(END)
  for (const [index, journey] of found.entries()) all.set(journey, index * width)
  return countSteps({ size: found.length, width, values: all }, order.texts, { steps, branches })
}

/** Returns the places of the values of a session in its order; at one time in the order of their bytes. */
function valuesOf(
  { hits, sessions: { firstHit } }: Block,
  session: number,
  isOfEvents: boolean,
  column: Numbers,
  { rankOf }: ByteOrder,
  marked: Uint8Array | undefined,
): number[] {
  const values: number[] = []
  let sameTime = 0
  let time = Number.NaN
  for (let hit = firstHit[session]!; hit < firstHit[session + 1]!; hit++) {
    const type = hits.type[hit]!
    const isOfKind = isOfEvents ? type !== PAGEVIEW && type !== ENGAGEMENT : type === PAGEVIEW
    if (!isOfKind || column[hit] === 0 || (marked && marked[hit] === 0)) continue
    if (hits.at[hit] !== time) {
      time = hits.at[hit]!
      sameTime = values.length
    }
    const rank = rankOf[column[hit]!]!
    let place = values.length
    while (place > sameTime && values[place - 1]! > rank) place -= 1
    if (place === values.length) values.push(rank)
    else values.splice(place, 0, rank)
  }
  return values
}

/** Returns the values from the first occurrence of the chosen one on, repeats once; undefined where it does not occur. */
function journeyFrom(
  values: readonly number[],
  chosen: number,
  { isBackwards, steps }: { isBackwards: boolean; steps: number },
): number[] | undefined {
  const first = values.indexOf(chosen)
  if (first < 0) return undefined
  const journey: number[] = []
  for (let place = first; place >= 0 && place < values.length; place += isBackwards ? -1 : 1) {
    if (values[place] === journey.at(-1)) continue
    if (journey.push(values[place]!) > steps) break
  }
  return journey
}
