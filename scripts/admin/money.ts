import type { Command } from 'commander'
import { purgePayments } from '../../src/revenue/ledger/change-payment.ts'
import { reconcileMrr } from '../../src/revenue/subscriptions/reconcile-mrr.ts'
import { findSiteAnywhere } from '../../src/sites/find-site.ts'
import { currency } from '../options.ts'
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
}
