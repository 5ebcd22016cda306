import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { EventType } from '../../platform/dimensions/event-types.ts'
import {
  BLOCK_ROWS,
  type Download,
  type PartOfList,
  runningDownload,
} from '../../platform/schema/download.ts'
import { type Page, type PageQuery, windowOf } from '../../platform/schema/pagination.ts'
import type { Services } from '../../platform/services.ts'
import type { TimeSpan } from '../../platform/time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { LogAsked, LogKeys } from '../counts/log-page.ts'
import { widenToMoments } from '../counts/shared/pages.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { nextOfList } from '../metrics/list-by-day.ts'
import { countUntilRolledUp } from '../metrics/rolled-up.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'
import type { Actor } from './actor.ts'
import { readHitsByKey } from './log-keys.ts'

/** Services that log queries use; the config is needed for the links to pictures. */
export type LogServices = StatsServices & Pick<Services, 'config'>

/** A hit with its visitor; the identity is the present one of the session, not the one at the time of the hit. */
export interface LoggedHit extends Actor {
  id: string
  type: EventType
  name: string
  props: Record<string, string> | null
  errorId: string | null
  errorMessage: string | null
  errorStack: string | null
  errorFile: string | null
  errorLine: string | null
  errorColumn: string | null
}

interface Wanted {
  siteNo: number
  types: EventType[]
  from: Date
  /** Of the hit before which they come. */
  at: Date
  id: string
  limit: number
  skipped: number
}

const readHitsBefore = query<Wanted, LoggedHit>('read-hits-before')

/** Before the ids of all hits. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Returns a page of the hits that match the filters, the newest first, with the total number of hits. Columns say where it lies, and under
 * filters which hits it has: of those of a moment, their ids decide.
 * @param options.errorId only occurrences of this error
 * @throws AppError as `countAsked`
 */
export async function readLog(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  resolved: ResolvedQuery,
  asked: PageQuery,
  options: Pick<LogAsked, 'types' | 'errorId'>,
): Promise<Page<LoggedHit>> {
  const { reads } = services
  const kept = keptPart(resolved)
  const hasAll = sourceOf('hits', resolved) === 'rollups' && options.errorId === undefined
  const found = await nextOfList(
    services,
    {
      resolved: kept,
      unfiltered: hasAll ? options.types : undefined,
      find: (part, page) => {
        const keys = { ...options, ...page }
        return hasAll
          ? countUntilRolledUp(services, kept, 'log', keys, { part })
          : countAsked(services, part, 'log', keys)
      },
      lengthOf: ({ at }) => at.length,
    },
    asked,
  )
  const { list, from, to } = found
  const { limit } = windowOf(asked)
  const { total } = list
  if (!hasAll) return { rows: await readFound(reads, kept.siteNo, found, limit), total }
  const at = list.at.subarray(from, to)
  const wanted = { siteNo: kept.siteNo, types: options.types }
  const download = runningDownload()
  if (download?.isWhole) return { rows: await readOn(reads, download, { ...kept, ...wanted }, at), total }
  if (at.length === 0) return { rows: [], total }
  const newest = { at: new Date(at[0]! + 1), id: FIRST_ID }
  const page = { from: new Date(at.at(-1)!), ...newest, limit, skipped: list.skipped }
  return { rows: await readHitsBefore(reads, { ...wanted, ...page }), total }
}

async function readFound(
  reads: Db,
  siteNo: number,
  { list, from, to }: PartOfList<LogKeys>,
  most: number,
): Promise<LoggedHit[]> {
  const limit = Math.min(most, to - from)
  const part = widenToMoments(list.at, { limit, offset: from + list.skipped })
  const keys = {
    at: list.at.subarray(part.from, part.to),
    sessionNos: list.sessionNos.subarray(part.from, part.to),
    isService: list.isService.subarray(part.from, part.to),
    nth: list.nth.subarray(part.from, part.to),
  }
  return readHitsByKey(reads, siteNo, keys, { skipped: part.skipped, limit })
}

/**
 * Reads the next block of a download of all hits. It goes on by key, so a hit that is stored meanwhile shifts nothing: every hit that was
 * there at the start is in one block, and a hit that comes later in at most one.
 * @param times of about as many hits as a block has: without them, the statement would read on to the start of the range
 */
async function readOn(
  reads: Db,
  download: Download,
  { start, end, ...wanted }: TimeSpan & { siteNo: number; types: EventType[] },
  times: Float64Array,
): Promise<LoggedHit[]> {
  const before = download.pin('hits', () => ({ at: end, id: FIRST_ID }))
  const isLast = download.isComplete
  if (!isLast && times.length === 0) return []
  const from = isLast ? start : new Date(times.at(-1)!)
  const rows = await readHitsBefore(reads, { ...wanted, from, ...before, limit: BLOCK_ROWS, skipped: 0 })
  const oldest = rows.at(-1)
  if (oldest) download.whenRead(() => Object.assign(before, { at: oldest.at, id: oldest.id }))
  // There may be more: of a block that had more hits than were found for it.
  if (rows.length === BLOCK_ROWS) download.isComplete = false
  return rows
}
