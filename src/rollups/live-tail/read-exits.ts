import { query } from '../../db/query.ts'

/** Returns the exit pages of sessions. */
export const readExits = query<
  { siteNo: number; startedAts: Date[]; sessionNos: number[] },
  { sessionNo: number; exitPath: string }
>(
  'read-tail-exits',
  `
  select session.session_no as "sessionNo", session.exit_path as "exitPath"
  from unnest(:startedAts::timestamptz[], :sessionNos::bigint[]) as asked (started_at, session_no)
  cross join lateral (
    select session_no, exit_path
    from sessions
    where site_no = :siteNo::int and started_at = asked.started_at and session_no = asked.session_no
    limit 1
  ) as session`,
)
