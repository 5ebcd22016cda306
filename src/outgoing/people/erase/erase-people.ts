import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { createTeamTurns, type TeamTurns } from '../../../platform/lib/team-turns.ts'
import type { Log } from '../../../platform/runtime/log.ts'
import { mergeStamps } from '../../../storage/columns/stamps.ts'
import { deleteOldBlocks } from '../../../storage/columns/stored-blocks.ts'
import { eraseRest } from './erase-rest.ts'
import { eraseSessions } from './erase-sessions.ts'
import { forgetValues } from './forget-values.ts'
import { type Erasure, type Outcome, STEPS, type Step } from './items.ts'
import { prepareErasure } from './prepare.ts'
import { resolvePerson } from './resolve.ts'
import { settleVisitors } from './settle-visitors.ts'
import { unlinkMoney } from './unlink-money.ts'

/** Time limit of one run: other jobs wait this long, and so does a process that must stop. */
const BUDGET_MS = 2_000
/** Maximum hits of one transaction: no hits are stored meanwhile. */
const MOST_HITS = 2_000

/** The oldest of each team before the second of any. */
const selectRunning = query<void, Erasure & { teamId: string }>(
  'select-running-erasures',
  `select
    erasures.id, site_no as "siteNo", team_id as "teamId", person, requested_at as "requestedAt", step, reached
  from erasures
  join sites using (site_no)
  where person is not null and deleted_at is null
  order by row_number() over (partition by team_id order by requested_at, erasures.id), requested_at, erasures.id
  limit 100`,
)

const takeStep = query<{ id: string; step: Step; next: string }>(
  'take-erasure-step',
  'update erasures set step = :next, reached = null where id = :id and step = :step',
)

/** The identifier goes with everything that the steps have found. */
const finish = query<{ id: string; now: Date }>(
  'finish-erasure',
  `with gone as (delete from erasure_items where erasure_id = :id::uuid)
  update erasures set step = 'finished', reached = null, person = null, finished_at = :now where id = :id::uuid`,
)

interface Options {
  budgetMs?: number
  mostHits?: number
  /** Kept from run to run, so that the next team comes first in the next one. */
  teams?: TeamTurns
}

/**
 * Works on erasures for up to two seconds, in turns of their teams. Each transaction does a bounded part and leaves everything consistent, so
 * it is safe to stop at any point: the next run continues. A step that ran to its end but was not noted runs again and finds
 * nothing. An erasure that fails does not stop the others.
 * @returns true when more work can be done at once
 * @throws the first failure, after all other erasures
 */
export async function erasePeople(
  services: { db: Db; log: Log },
  now: Date,
  { budgetMs = BUDGET_MS, mostHits = MOST_HITS, teams = createTeamTurns() }: Options = {},
): Promise<boolean> {
  const endsAt = performance.now() + budgetMs
  const hasTime = () => performance.now() < endsAt
  const failures: unknown[] = []
  let isMore = false
  for (const erasure of teams.each(await selectRunning(services.db))) {
    try {
      if ((await erase(services, erasure, now, hasTime, mostHits)) === 'more') isMore = true
    } catch (error) {
      failures.push(error)
    }
    if (!hasTime()) break
  }
  if (failures.length > 0) throw failures[0]
  return isMore
}

async function erase(
  services: { db: Db; log: Log },
  given: Erasure,
  now: Date,
  hasTime: () => boolean,
  mostHits: number,
): Promise<Outcome> {
  const { db } = services
  let erasure = given
  const run: Record<Step, () => Promise<Outcome>> = {
    prepare: () => prepareErasure(db, erasure),
    sessions: () => eraseSessions(db, erasure, hasTime, mostHits),
    resolve: () => resolvePerson(db, erasure),
    money: () => unlinkMoney(services, erasure, now, hasTime),
    rest: () => eraseRest(db, erasure, hasTime, mostHits),
    visitors: () => settleVisitors(db, erasure, hasTime),
    values: () => forgetValues(db, erasure),
  }
  for (;;) {
    const outcome = await run[erasure.step]()
    if (outcome !== 'done') return outcome
    const { id, step } = erasure
    const next = STEPS[STEPS.indexOf(step) + 1]
    if (!next) {
      await mergeStamps(db, { siteNo: erasure.siteNo })
      await deleteOldBlocks(db, { siteNo: erasure.siteNo })
      await finish(db, { id, now })
      return 'done'
    }
    await takeStep(db, { id, step, next })
    erasure = { ...erasure, step: next, reached: null }
    if (!hasTime()) return 'more'
  }
}
