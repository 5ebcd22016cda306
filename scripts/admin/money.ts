import type { Command } from 'commander'
import { findSiteAnywhere } from '../../src/access/sites/find-site.ts'
import { countAccount, importSite } from '../../src/money/import/import-site.ts'
import { PHASES } from '../../src/money/import/phases.ts'
import { fromDay, presentCounts, presentImport } from '../../src/money/import/present-import.ts'
import { purgePayments } from '../../src/money/ledger/change-payment.ts'
import { reconcileMrr } from '../../src/money/subscriptions/reconcile-mrr.ts'
import { unsharedTurn } from '../../src/outgoing/transfer/imports/turn.ts'
import { importMoneyFile } from '../../src/outgoing/transfer/money/money-kind.ts'
import { openLocalFile } from '../../src/outgoing/transfer/read/local-file.ts'
import { canonicalZone } from '../../src/platform/time/zones.ts'
import { createRefresher, keepRefreshed } from '../../src/storage/rollups/keep-refreshed.ts'
import { currency, day } from '../options.ts'
import { secondsSince, showProgress } from '../progress.ts'
import { refreshingLease } from '../tools.ts'
import type { Answer } from './answer.ts'

/** Adds the commands for payments and MRR. */
export function addMoneyCommands(admin: Command, answer: Answer): void {
  admin
    .command('payments:purge')
    .description('delete all payments of a site in one currency, so that the site can have another')
    .requiredOption('--site <site>', 'id or domain')
    .requiredOption('--currency <code>', 'ISO 4217, upper case', currency)
    .action((options: { site: string; currency: string }) =>
      answer(async db => {
        const site = await findSiteAnywhere(db, options.site)
        return { deleted: await purgePayments(db, site, options.currency) }
      }),
    )

  admin
    .command('revenue:reconcile')
    .description('compare the MRR of the ledger with what the payment processor says now; changes nothing')
    .requiredOption('--site <site>', 'id or domain of the site')
    .action((options: { site: string }) =>
      answer(async (db, { config }) => {
        const { siteId } = await findSiteAnywhere(db, options.site)
        return reconcileMrr({ db, config }, siteId)
      }),
    )

  admin
    .command('revenue:import')
    .description('read the past of the connected payment processor; may run again; see docs/import-money.md')
    .requiredOption('--site <site>', 'id or domain of the site')
    .option('--from <date>', "first day of payments, in the site's zone; by default all", day)
    .option('--dry-run', 'read and count everything, and store nothing')
    .action((options: { site: string; from?: string; dryRun?: true }) =>
      answer(async (db, tools) => {
        const startedAt = performance.now()
        const { siteId, timezone } = await findSiteAnywhere(db, options.site)
        const now = () => new Date()
        const services = { db, log: tools.log, config: tools.config, now }
        const from = fromDay(timezone, options.from)
        const progress = showProgress('reading')
        const show = (phase: string, read: object) => {
          const done = (PHASES as readonly string[]).indexOf(phase)
          progress.part(done < 0 ? 0.95 : done / (PHASES.length + 1), `${phase} ${JSON.stringify(read)}`)
        }
        try {
          if (options.dryRun) {
            const counts = await countAccount(services, siteId, {
              from,
              onStep: (phase, { read }) => show(phase, read),
            })
            return { dry_run: true, ...presentCounts(counts), seconds: secondsSince(startedAt) }
          }
          const lease = await refreshingLease(tools)
          const row = await keepRefreshed({ db, lease, log: tools.log, now }, () =>
            importSite(services, siteId, { from, onStep: ({ phase, counts }) => show(phase, counts.read) }),
          )
          return { ...(await presentImport(db, row)), seconds: secondsSince(startedAt) }
        } finally {
          progress.end()
        }
      }),
    )

  admin
    .command('revenue:import-file')
    .description(
      'read payments and subscriptions of any payment processor from a file; see docs/import-money.md',
    )
    .requiredOption('--site <site>', 'id or domain of the site')
    .requiredOption('--file <path>', 'CSV or JSON lines')
    .option('--timezone <zone>', 'IANA zone of times that name none', 'UTC')
    .option('--dry-run', 'only check and count the rows')
    .action((options: { site: string; file: string; timezone: string; dryRun?: true }) =>
      answer(async (db, tools) => {
        const startedAt = performance.now()
        const site = await findSiteAnywhere(db, options.site)
        const timezone = canonicalZone(options.timezone)
        if (!timezone) throw new Error('--timezone must be an IANA time zone, such as Europe/Berlin')
        const file = await openLocalFile(options.file)
        const progress = showProgress('importing')
        const now = () => new Date()
        const refresher = createRefresher({ db, lease: await refreshingLease(tools), log: tools.log, now })
        const result = await importMoneyFile(
          { db, refresher, log: tools.log, now },
          {
            site,
            file,
            timezone,
            isDryRun: options.dryRun === true,
            turn: unsharedTurn(),
            onProgress: ({ part, note }) => progress.part(part, note),
          },
        )
          .finally(() => refresher.finish())
          .finally(progress.end)
        return { ...result, seconds: secondsSince(startedAt) }
      }),
    )
}
