import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE_MS } from '../../src/platform/lib/time.ts'

/** Counters of the service, summed over all its processes. */
export interface Counters {
  accepted: number
  /** Number of finished hits: stored, repeated or moved to dead letters. */
  settled: number
  stored: number
  deadLetters: number
}

const ASK_MS = 100
/** Longest time for a busy service to answer. */
const BUSY_MS = 10_000
/** Longest wait without progress; milliseconds. */
const PATIENCE_MS = MINUTE_MS

/** Returns the sum of a counter over its labels, from Prometheus' text format. */
export function sumOf(text: string, name: string): number {
  let sum = 0
  for (const line of text.split('\n')) {
    if (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) sum += Number(line.split(' ').at(-1))
  }
  return sum
}

/** A service under full load may not answer at once. */
export async function readCounters(url: string): Promise<Counters> {
  let answer = await fetch(`${url}/metrics`)
  for (
    const giveUpAt = performance.now() + BUSY_MS;
    answer.status === 503 && performance.now() < giveUpAt;
  ) {
    await answer.text()
    await sleep(ASK_MS)
    answer = await fetch(`${url}/metrics`)
  }
  const text = await answer.text()
  if (!answer.ok) throw new Error(`/metrics answers ${answer.status}: ${text}`)
  const stored = sumOf(text, 'hits_stored_total')
  const deadLetters = sumOf(text, 'hits_dead_letters_total')
  return {
    accepted: sumOf(text, 'hits_accepted_total'),
    settled: stored + deadLetters + sumOf(text, 'hits_repeated_total'),
    stored,
    deadLetters,
  }
}

/**
 * Waits until all hits accepted since `before` are stored.
 * @param known number of hits that were certainly accepted: `/metrics` leaves out a process that is too busy to answer
 * @returns the counters after the last hit is stored
 * @throws Error when a hit became a dead letter, or without progress for a minute
 */
export async function untilStored(url: string, before: Counters, known: number): Promise<Counters> {
  let settled = -1
  for (let movedAt = performance.now(); ; ) {
    const now = await readCounters(url)
    if (now.deadLetters > before.deadLetters)
      throw new Error('hits could not be stored: see dead-letters:list')
    const accepted = Math.max(known, now.accepted - before.accepted)
    if (now.settled - before.settled >= accepted) return now
    if (now.settled !== settled) movedAt = performance.now()
    settled = now.settled
    if (performance.now() - movedAt > PATIENCE_MS) throw new Error('hits wait, but none is stored any more')
    await sleep(ASK_MS)
  }
}
