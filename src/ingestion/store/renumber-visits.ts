import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { retry } from '../../platform/lib/retry.ts'
import type { Visitor } from './batch-context.ts'

interface VisitNumber {
  siteNo: number
  at: Date
  sessionNo: number
  visitCount: number
}

/**
 * Sessions of the visitors whose visit number is wrong: numbers follow the start times, from 1. Sessions that retention has dropped
 * were the first ones, and are still in `session_count`. `from` is a lower bound of the start times of all these sessions.
 */
const selectVisitNumbers = query<{ visitorNos: number[]; siteNos: number[]; from: Date }, VisitNumber>(
  'select-visit-numbers',
  `with numbered as (
    select
      site_no,
      started_at,
      session_no,
      visit_count,
      (
        case when details_from is null then 0 else session_count - count(*) over (partition by visitor_no) end
        + row_number() over (partition by visitor_no order by started_at, session_no)
      )::int as place
    from sessions
    join visitors using (site_no, visitor_no)
    join sites using (site_no)
    where visitor_no = any(:visitorNos::int[]) and site_no = any(:siteNos::int[]) and started_at >= :from::timestamptz
  )
  select site_no as "siteNo", started_at as at, session_no as "sessionNo", place as "visitCount"
  from numbered
  where place <> visit_count`,
)
const updateVisitNumbers = query<
  { siteNos: number[]; starts: Date[]; sessionNos: number[]; visitCounts: number[] },
  { sessionNo: number }
>('update-visit-numbers')

/** Another transaction can change the same sessions during each attempt. */
const ATTEMPTS = 5

/** Other transactions have changed some of the sessions. Its SQLSTATE makes the caller retry the batch: the hits are valid. */
class VisitConflict extends Error {
  readonly code = '40001'
}

/**
 * Renumbers the sessions of visitors with a late session, by start, from 1. Numbers change from the late session on.
 * @returns site and start of the sessions whose number changed
 * @throws an error with the SQLSTATE of a serialization failure when other transactions change the sessions in every attempt
 */
export async function renumberVisits(
  tx: Transaction,
  visitors: Pick<Visitor, 'visitorNo' | 'siteNo' | 'firstSeenAt' | 'lateSessionAt'>[],
): Promise<{ siteNo: number; at: number }[]> {
  const late = visitors.filter(visitor => visitor.lateSessionAt !== undefined)
  if (late.length === 0) return []
  let changed: VisitNumber[] | undefined
  // An attempt that updates fewer rows than it read has waited for another transaction, so the next attempt reads its changes.
  await retry(
    async () => {
      const wrong = await selectVisitNumbers(tx, {
        visitorNos: late.map(visitor => visitor.visitorNo),
        siteNos: [...new Set(late.map(({ siteNo }) => siteNo))],
        from: new Date(late.map(visitor => visitor.firstSeenAt).reduce((a, b) => Math.min(a, b))),
      })
      changed ??= wrong
      if (wrong.length === 0) return
      const updated = await updateVisitNumbers(tx, {
        siteNos: wrong.map(row => row.siteNo),
        starts: wrong.map(row => row.at),
        sessionNos: wrong.map(row => row.sessionNo),
        visitCounts: wrong.map(row => row.visitCount),
      })
      if (updated.length < wrong.length) throw new VisitConflict('other transactions change these visits')
    },
    { attempts: ATTEMPTS, shouldRetry: error => error instanceof VisitConflict, delayMs: 0 },
  )
  return changed!.map(({ siteNo, at }) => ({ siteNo, at: at.getTime() }))
}
