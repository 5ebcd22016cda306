import { query } from '../../db/query.ts'

/** Queues a site whose daily rollups have changed, in the same transaction: their goals are counted soon. Sites without goals are not. */
export const queueGoals = query<{ siteNo: number }>(
  'queue-goals-of-site',
  'select queue_goal_rollups(:siteNo::int) where exists (select from goals where site_no = :siteNo::int)',
)
