import type { Db } from '../../../../platform/db/connect.ts'
import { MINUTE_MS } from '../../../../platform/lib/time.ts'
import type { Log } from '../../../../platform/runtime/log.ts'
import type { FairPool } from '../../../../platform/threads/fair-pool.ts'
import { createPlaces } from '../places.ts'
import { compareHits } from './compare-hits.ts'
import { countDropped, deleteLateNotes, selectWaitingSites } from './conversion-rows.ts'
import { createPassedOver } from './passed-over.ts'
import { createWarnings } from './warnings.ts'

export interface ConversionServices {
  db: Db
  log: Log
  patterns: Pick<FairPool, 'run'>
  /** Most deliveries of an endpoint that wait. */
  mostWaiting: number
  /** Most notes of a site that wait to be compared; a note has up to 250 hits. */
  mostNotes?: number
}

/** Sites at once: in all, and of a team. Each has its turns in the pattern thread. */
const PLACES = { all: 3, team: 2, site: 1 }
/** A site whose matching takes longer rests for four times as long as it took: it gets a fifth of the time of a place at most. */
const LONG_MS = 1_000
const REST = 4
/** When a site that failed is tried again. */
const SKIP_MS = MINUTE_MS
const MOST_NOTES = 5_000

/**
 * Returns what compares stored hits with the goals of their sites, and makes an event of each conversion. Each site has a place of its
 * own and a limited part of the time, so that the goals of one do not hold up those of others, and a failure stops one site alone.
 */
export function createConversionFinder(services: ConversionServices) {
  const { db, log, mostNotes = MOST_NOTES } = services
  const warn = createWarnings(log)
  const withMemory = { ...services, passedOver: createPassedOver(), warn }
  const running = new Map<number, Promise<void>>()
  const places = createPlaces<'team' | 'site'>(PLACES)
  /** By site, Unix milliseconds. */
  const restingUntil = new Map<number, number>()

  /** Begins with the sites whose hits wait longest, as far as there are places. @returns with how many */
  async function begin(now: Date): Promise<number> {
    for (const [siteNo, until] of restingUntil) if (until <= now.getTime()) restingUntil.delete(siteNo)
    if (places.free() === 0) return 0
    const sites = await selectWaitingSites(db, {
      limit: PLACES.all * PLACES.team,
      busySites: [...places.full<number>('site'), ...restingUntil.keys()],
      busyTeams: places.full('team'),
    })
    let begun = 0
    for (const { siteNo, teamId } of sites) {
      const holder = { team: teamId, site: siteNo }
      if (!places.take(holder)) continue
      begun += 1
      const done = handle(siteNo, now).finally(() => {
        places.leave(holder)
        running.delete(siteNo)
      })
      running.set(siteNo, done)
    }
    return begun
  }

  async function handle(siteNo: number, now: Date): Promise<void> {
    const startedAt = performance.now()
    // From the end of the round: a site must not rest while it is compared.
    const rest = (ms: number) => restingUntil.set(siteNo, now.getTime() + performance.now() - startedAt + ms)
    let isMore = true
    try {
      const compared = await compareHits(withMemory, siteNo, now)
      isMore = compared.isMore
      if (compared.usedMs > LONG_MS) rest(REST * compared.usedMs)
    } catch (error) {
      log.warn({ siteNo, error }, 'hits could not be compared with goals; tried again in a minute')
      rest(SKIP_MS)
    }
    // Also after a failure: what waits must not grow for as long as it lasts.
    if (isMore) {
      await dropLate(siteNo).catch(error =>
        log.warn({ siteNo, error }, 'hits that wait could not be dropped'),
      )
    }
  }

  /** Each hit that is dropped counts as one conversion. */
  async function dropLate(siteNo: number): Promise<void> {
    await db.begin(async tx => {
      const [late] = await deleteLateNotes(tx, { siteNo, most: mostNotes })
      const { hits } = late!
      if (hits === 0) return
      await countDropped(tx, { siteNo, count: hits })
      warn(siteNo, { hits }, 'hits are not compared with goals: too many wait')
    })
  }

  return {
    begin,
    /** Resolves when one of the sites that are being handled is done, or after the time. */
    async next(limitMs: number): Promise<void> {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>(resolve => {
        timer = setTimeout(resolve, limitMs)
      })
      await Promise.race([late, ...running.values()])
      clearTimeout(timer)
    },
    /** Resolves when no site is being handled. */
    async settle(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}
