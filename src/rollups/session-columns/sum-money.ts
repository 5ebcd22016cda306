import type { Db } from '../../db/connect.ts'
import { cacheOf } from '../daily/rollup-cache.ts'
import { find } from '../daily/value-sums.ts'
import type { Tasks } from '../protocol.ts'
import { HAS_HITS, SESSIONS } from './build-parts.ts'
import type { Block } from './codec.ts'
import { SessionMatcher } from './match-sessions.ts'
import { eachPart } from './read-parts.ts'

/** Returns what sessions with money had as values of a dimension of hits, added up by value. A session counts once for a value. */
export async function sumMoneyOfValues(
  db: Db,
  { siteNo, filters, dimension, days, money, rows, values }: Tasks['sumMoneyOfValues']['input'],
): Promise<Tasks['sumMoneyOfValues']['output']> {
  const matcher = new SessionMatcher(filters)
  const payers = money.sessionNos
  const seen = new SeenValues(values)
  const names = [SESSIONS, dimension, ...matcher.names]
  const isRead = await eachPart({ db, cache: cacheOf(db), siteNo }, days, names, part => {
    const block = part.block(dimension)
    if (!block) return
    const sessions = part.block(SESSIONS)!
    const matching = matcher.match(part, sessions.columns.flags!.length)
    seen.addBlock(block, payersOf(sessions, matching, payers))
  })
  if (!isRead) return null
  for (const { sessionNo, value } of rows) seen.add(value, find(payers, sessionNo))
  const amountsOf = (texts: (string | null)[]) => texts.map(text => BigInt(text ?? 0))
  const [revenue, mrr] = [amountsOf(money.revenue), amountsOf(money.mrr)]
  return [...seen.byValue].map(([value, sessionsWithIt]) => {
    const sum = (amounts: bigint[]) => {
      let total = 0n
      for (const payer of sessionsWithIt) total += amounts[payer]!
      return total
    }
    return { value, revenue: sum(revenue), mrr: sum(mrr) }
  })
}

const NO_PAYER = -1

/**
 * Returns the position among the payers of each session of a part that matches. Both are in the order of the session numbers, so they
 * are compared in one pass: to look up each session takes twenty times as long.
 */
function payersOf({ columns }: Block, matching: Uint8Array, payers: Float64Array): Int32Array {
  const steps = columns.sessionSteps!
  const positions = new Int32Array(steps.length).fill(NO_PAYER)
  let [sessionNo, next] = [0, 0]
  for (let session = 0; session < steps.length; session++) {
    sessionNo += steps[session]!
    while (payers[next]! < sessionNo) next++
    if (payers[next] === sessionNo && matching[session] === 1) positions[session] = next
  }
  return positions
}

/** Which sessions have a value. */
class SeenValues {
  readonly byValue = new Map<string, Set<number>>()
  readonly #wanted: ReadonlySet<string> | undefined

  constructor(values: readonly string[] | undefined) {
    this.#wanted = values && new Set(values)
  }

  add(value: string, payer: number): void {
    this.#sessionsOf(value).add(payer)
  }

  #sessionsOf(value: string): Set<number> {
    let found = this.byValue.get(value)
    if (!found) {
      found = new Set()
      this.byValue.set(value, found)
    }
    return found
  }

  /** @param payers position of each session among the payers */
  addBlock({ columns, texts }: Block, payers: Int32Array): void {
    const isWanted = Uint8Array.from(texts, text => (!this.#wanted || this.#wanted.has(text) ? 1 : 0))
    const { ids, flags, sessionSteps } = columns
    const found: (Set<number> | undefined)[] = new Array(texts.length)
    let session = 0
    for (let index = 0; index < ids!.length; index++) {
      session += sessionSteps![index]!
      const payer = payers[session]!
      if (payer === NO_PAYER) continue
      const id = ids![index]!
      if (isWanted[id] === 0 || !(flags![index]! & HAS_HITS)) continue
      found[id] ??= this.#sessionsOf(texts[id]!)
      found[id].add(payer)
    }
  }
}
