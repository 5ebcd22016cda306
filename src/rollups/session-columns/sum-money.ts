import type { Db } from '../../db/connect.ts'
import { cacheOf } from '../daily/rollup-cache.ts'
import type { Tasks } from '../protocol.ts'
import { HAS_HITS, SESSIONS } from './build-parts.ts'
import { type Block, fromSteps } from './codec.ts'
import { SessionMatcher } from './match-sessions.ts'
import { eachPart } from './read-parts.ts'

/** Returns what sessions with money had as values of a dimension of hits, added up by value. A session counts once for a value. */
export async function sumMoneyOfValues(
  db: Db,
  { siteNo, filters, dimension, days, money, rows, values }: Tasks['sumMoneyOfValues']['input'],
): Promise<Tasks['sumMoneyOfValues']['output']> {
  const matcher = new SessionMatcher(filters)
  const payers = new Map(Array.from(money.sessionNos, (sessionNo, index) => [sessionNo, index]))
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
  for (const { sessionNo, value } of rows) seen.add(value, payers.get(sessionNo)!)
  return [...seen.byValue].map(([value, sessionsWithIt]) => {
    const sum = (amounts: (string | null)[]) =>
      [...sessionsWithIt].reduce((total, index) => total + BigInt(amounts[index] ?? 0), 0n)
    return { value, revenue: sum(money.revenue), mrr: sum(money.mrr) }
  })
}

const NO_PAYER = -1

/** Returns the position among the payers of each session of a part that matches. */
function payersOf({ columns }: Block, matching: Uint8Array, payers: ReadonlyMap<number, number>): Int32Array {
  const steps = columns.sessionSteps!
  const sessionNos = fromSteps(steps, new Float64Array(steps.length))
  return Int32Array.from(sessionNos, (sessionNo, index) =>
    matching[index] === 1 ? (payers.get(sessionNo) ?? NO_PAYER) : NO_PAYER,
  )
}

/** Which sessions have a value. */
class SeenValues {
  readonly byValue = new Map<string, Set<number>>()
  readonly #wanted: ReadonlySet<string> | undefined

  constructor(values: readonly string[] | undefined) {
    this.#wanted = values && new Set(values)
  }

  add(value: string, payer: number): void {
    const found = this.byValue.get(value)
    if (found) found.add(payer)
    else this.byValue.set(value, new Set([payer]))
  }

  /** @param payers position of each session among the payers */
  addBlock({ columns, texts }: Block, payers: Int32Array): void {
    const isWanted = Uint8Array.from(texts, text => (!this.#wanted || this.#wanted.has(text) ? 1 : 0))
    const { ids, flags, sessionSteps } = columns
    let session = 0
    for (let index = 0; index < ids!.length; index++) {
      session += sessionSteps![index]!
      const id = ids![index]!
      const payer = payers[session]!
      if (payer !== NO_PAYER && isWanted[id] === 1 && flags![index]! & HAS_HITS) this.add(texts[id]!, payer)
    }
  }
}
