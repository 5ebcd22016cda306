import { findGoals } from '../../../../stats/goals/find-goal.ts'
import type { GoalRecord } from '../../../../stats/goals/goal-schema.ts'
import { type Conversion, timeOf } from './conversion.ts'
import { type CandidateHit, findWatchers, type Note, readHits, selectNotes } from './conversion-rows.ts'
import type { ConversionServices } from './find-conversions.ts'
import { matchGoals } from './match-goals.ts'
import type { createPassedOver } from './passed-over.ts'
import { storeConversions } from './store-conversions.ts'
import type { Warn } from './warnings.ts'

/** Notes are read until they have so many hits. A note has at most as many, so fewer than 500 are compared together: they may be large. */
const HITS = 250
/** Most notes of one round. */
const NOTES = 100
/** Most goals of one hit that endpoints are told of; alerts count all. */
const MOST_GOALS_OF_A_HIT = 100

type Services = ConversionServices & { passedOver: ReturnType<typeof createPassedOver>; warn: Warn }

export interface Compared {
  /** CPU time of matching in milliseconds. */
  usedMs: number
  /** Whether the site may have more that wait. */
  isMore: boolean
}

/** Compares the hits of a site that wait longest with its goals, and makes an event of each conversion. */
export async function compareHits(services: Services, siteNo: number, now: Date): Promise<Compared> {
  const { db, log, patterns, passedOver } = services
  const notes = await selectNotes(db, { siteNo, hits: HITS, most: NOTES })
  if (notes.length === 0) return { usedMs: 0, isMore: false }
  const [watchers] = await findWatchers(db, { siteNo })
  const { since, alertGoals } = watchers!
  const counted = new Set(alertGoals)
  // Without endpoints only the goals of alerts are worth their time.
  const isWanted = (goal: GoalRecord) =>
    (since !== null || counted.has(goal.id)) && !passedOver.has(goal, now)
  const goals = (await findGoals(db, siteNo, null)).filter(isWanted)
  const hits = goals.length > 0 ? await readHits(db, { siteNo, ...keysOf(notes) }) : []
  const found = collect(since, counted)
  const usedMs = await matchGoals(patterns, goals, hits, {
    found: found.add,
    refused(goal, why) {
      passedOver.add(goal, now)
      log.warn({ siteNo, goalId: goal.id, why }, 'webhooks and alerts pass over a goal for some minutes')
    },
  })
  await storeConversions(services, siteNo, { notes, now, ...found.results() })
  const isMore = notes.length >= NOTES || notes.reduce((sum, { ids }) => sum + ids.length, 0) >= HITS
  return { usedMs, isMore }
}

function keysOf(notes: readonly Note[]) {
  const times = notes.flatMap(note => note.times)
  const found = times.map(time => time.getTime())
  return {
    times,
    ids: notes.flatMap(note => note.ids),
    start: new Date(Math.min(...found)),
    end: new Date(Math.max(...found)),
  }
}

/** Keeps which conversions are told and counted; of a hit only so many are told. A goal does not reach back before it was made. */
function collect(since: Date | null, countedGoals: ReadonlySet<string>) {
  const told: Conversion[] = []
  const counted: Conversion[] = []
  const goalsOfHit = new Map<CandidateHit, number>()
  let dropped = 0

  function add(goal: GoalRecord, hit: CandidateHit): void {
    const at = timeOf(hit)
    if (at < goal.createdAt) return
    if (countedGoals.has(goal.id)) counted.push({ goal, hit })
    // Payments and subscriptions have events of their own.
    if (since === null || at < since || hit.isService) return
    const goals = (goalsOfHit.get(hit) ?? 0) + 1
    if (goals > MOST_GOALS_OF_A_HIT) {
      dropped += 1
      return
    }
    goalsOfHit.set(hit, goals)
    told.push({ goal, hit })
  }

  return { add, results: () => ({ told, counted, dropped }) }
}
