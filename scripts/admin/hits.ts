import type { Command } from 'commander'
import { findAllSites, findSiteAnywhere } from '../../src/access/sites/find-site.ts'
import { listDeadLetters, retryDeadLetters } from '../../src/ingestion/store/dead-letters.ts'
import { type BackfilledDays, backfill } from '../../src/storage/rollups/backfill.ts'
import { importFile } from '../import-file.ts'
import { day, wholeNumber } from '../options.ts'
import { secondsSince, showProgress } from '../progress.ts'
import { refreshingLease } from '../tools.ts'
import type { Answer } from './answer.ts'
import { siteNoOf } from './find-sites.ts'

/** Adds the commands for hits: imports, rollups, and hits that could not be stored. */
export function addHitCommands(admin: Command, answer: Answer): void {
  admin
    .command('hits:import')
    .description('read hits of the past, one JSON object a line, in time order; see docs/import.md')
    .requiredOption('--site <site>', 'id or domain of the site they are of')
    .requiredOption('--file <path>', 'the file; - for standard input')
    .action((options: { site: string; file: string }) =>
      answer(async (_db, tools) => importFile({ ...tools, lease: await refreshingLease(tools) }, options)),
    )

  admin
    .command('rollups:backfill')
    .description('refresh the aggregates and rollups of a range of days; changes no number')
    .option('--site <site>', 'id or domain; by default every site')
    .option('--from <date>', 'first day, in the zone of the site; by default that of its first event', day)
    .option('--to <date>', 'last day; by default today', day)
    .action(({ site, ...days }: BackfilledDays & { site?: string }) =>
      answer(async (db, tools) => {
        const startedAt = performance.now()
        const sites = site ? [await findSiteAnywhere(db, site)] : await findAllSites(db)
        const lease = await refreshingLease(tools)
        const progress = showProgress('rolling up')
        const services = { db, lease, now: () => new Date() }
        const done = await backfill(services, sites, days, progress.part).finally(progress.end)
        return { ...done, seconds: secondsSince(startedAt) }
      }),
    )

  admin
    .command('dead-letters:list')
    .description('show hits that could not be stored, and why; the newest first')
    .option('--site <site>', 'id or domain; by default every site')
    .option('--limit <count>', 'maximum number of hits', wholeNumber(1, 10_000), 100)
    .action((options: { site?: string; limit: number }) =>
      answer(async db => {
        const siteNo = await siteNoOf(db, options.site)
        const { total, letters } = await listDeadLetters(db, { siteNo, limit: options.limit })
        return {
          total,
          dead_letters: letters.map(({ id, siteId, at, reason, payload, failedAt }) => ({
            id,
            site_id: siteId,
            at,
            reason,
            failed_at: failedAt,
            payload,
          })),
        }
      }),
    )

  admin
    .command('dead-letters:retry')
    .description('store hits again that could not be stored; run it after their cause is fixed')
    .option('--site <site>', 'id or domain; by default every site')
    .action((options: { site?: string }) =>
      answer(async (db, { log }) => retryDeadLetters(db, await siteNoOf(db, options.site), log)),
    )
}
