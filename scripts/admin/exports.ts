import { join } from 'node:path'
import type { Command } from 'commander'
import type { DueDay } from '../../src/outgoing/transfer/daily/due-days.ts'
import { exportDays } from '../../src/outgoing/transfer/daily/export-days.ts'
import { DAILY_EXPORT } from '../../src/outgoing/transfer/daily/run-daily.ts'
import { openTarget } from '../../src/outgoing/transfer/daily/target.ts'
import { createLease, whenFree } from '../../src/platform/redis/lease.ts'
import { secondsSince, showProgress } from '../progress.ts'
import type { Answer } from './answer.ts'
import { siteNoOf } from './find-sites.ts'

/** Adds the commands for exports. */
export function addExportCommands(admin: Command, answer: Answer): void {
  admin
    .command('export:days')
    .description('write the files of the daily export that are due, now; see docs/export.md')
    .option('--site <site>', 'id or domain; by default every site')
    .action((options: { site?: string }) =>
      answer(async (db, { config, redis }) => {
        const startedAt = performance.now()
        if (!config.exportTo) throw new Error('EXPORT_TO is not set: there is no place for the files')
        const siteNo = await siteNoOf(db, options.site)
        const target = await openTarget(config.exportTo)
        const given = { db, target, workFolder: join(config.dataDir, 'exports'), now: () => new Date() }
        const progress = showProgress('exporting')
        const { signal } = new AbortController()
        const onDay = ({ day }: { day: string }, { days, hits }: { days: number; hits: number }) =>
          progress.part(0, `${day}: ${days} days, ${hits} hits`)
        const failures: string[] = []
        const onFailure = ({ siteId, day }: DueDay, error: unknown) =>
          failures.push(`${day} of ${siteId} (${error instanceof Error ? error.message : String(error)})`)
        const lease = createLease(await redis(), DAILY_EXPORT)
        const done = await whenFree(lease, () =>
          exportDays(given, { siteNo, signal, onDay, onFailure }),
        ).finally(progress.end)
        if (failures.length > 0) {
          const others = failures.length > 1 ? `, and ${failures.length - 1} more` : ''
          throw new Error(
            `${done.days} days were exported, but not ${failures[0]}${others}; run it again for them`,
          )
        }
        const { days, hits, bytes } = done
        return { days, hits, bytes, seconds: secondsSince(startedAt) }
      }),
    )
}
