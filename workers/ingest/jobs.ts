import { forgetExpired } from '../../src/access/accounts/forget-expired.ts'
import { EXIT_PAGE_JOBS } from '../../src/ingestion/fill-exit-pages.ts'
import { REPLAY_JOBS } from '../../src/ingestion/replays/expire-replays.ts'
import { recomputeAllSites } from '../../src/money/subscriptions/recompute-queue.ts'
import { alertJobs } from '../../src/outgoing/notifications/alerts/check-rules.ts'
import {
  forgetReports,
  sendReports,
} from '../../src/outgoing/notifications/reports/deliveries/send-reports.ts'
import { MAIL_JOBS } from '../../src/outgoing/notifications/send-queued-mails.ts'
import { WEBHOOK_JOBS } from '../../src/outgoing/notifications/webhooks/webhook-worker.ts'
import { erasePeople } from '../../src/outgoing/people/erase/erase-people.ts'
import { PURGE_JOBS } from '../../src/outgoing/retention/purge-deleted-sites.ts'
import { RETENTION_JOBS } from '../../src/outgoing/retention/retention-jobs.ts'
import { IMPORT_JOBS } from '../../src/outgoing/transfer/imports/expire.ts'
import { TOTALS_JOBS } from '../../src/outgoing/transfer/totals/jobs.ts'
import { createTeamTurns, type TeamTurns } from '../../src/platform/lib/team-turns.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/platform/lib/time.ts'
import { queueDepth } from '../../src/platform/queue/bull-format.ts'
import type { RedisClient } from '../../src/platform/redis/client.ts'
import type { Job } from '../../src/storage/rollups/scheduler.ts'
import type { BackgroundReads } from './background-reads.ts'
import type { Parts } from './parts.ts'

/** Returns the scheduled jobs beside those of the rollups. They run one at a time, each for a few seconds at most. */
export const jobsOf = ({ config, log, now, redis }: Parts, { services }: BackgroundReads): Job[] => [
  ...PURGE_JOBS,
  ...RETENTION_JOBS,
  ...REPLAY_JOBS,
  ...EXIT_PAGE_JOBS,
  ...TOTALS_JOBS,
  ...WEBHOOK_JOBS,
  ...MAIL_JOBS,
  ...alertJobs({ config, log }, () => isBehind(redis, now())),
  ...IMPORT_JOBS,
  inTurns('recompute subscriptions', ({ db }, _at, teams) => recomputeAllSites({ db, log }, { teams })),
  { name: 'forget expired sessions', everyMs: HOUR_MS, run: ({ db }, at) => forgetExpired(db, at) },
  {
    name: 'send reports',
    everyMs: 10_000,
    run: ({ db }, at) => sendReports({ db, ...services, config, log, now }, at),
  },
  { name: 'forget reports', everyMs: HOUR_MS, run: ({ db }, at) => forgetReports(db, at) },
  inTurns('erase people', ({ db }, at, teams) => erasePeople({ db, log }, at, { teams })),
]

/** Returns a job that serves teams in turns: the team that was served last waits in the next run, too. */
function inTurns(
  name: string,
  run: (...given: [...Parameters<Job['run']>, TeamTurns]) => Promise<unknown>,
): Job {
  const teams = createTeamTurns()
  return { name, everyMs: 10_000, run: (stores, now) => run(stores, now, teams) }
}

/** Whether hits wait for longer than a moment to be stored. */
async function isBehind(redis: RedisClient, now: Date): Promise<boolean> {
  const { oldestAt } = await queueDepth(redis)
  return oldestAt !== undefined && now.getTime() - oldestAt > MINUTE_MS
}
