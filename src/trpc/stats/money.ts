import { envelope, paginate } from '../../platform/schema/pagination.ts'
import { getMrrChanges, MrrChange, MrrChangesQuery } from '../../stats/money/changes.ts'
import { Customer, CustomersQuery, getCustomers } from '../../stats/money/customers.ts'
import { getLifetimeValue, LifetimeValueQuery, LifetimeValueRow } from '../../stats/money/lifetime-value.ts'
import {
  getMoneyBreakdown,
  MoneyBreakdownQuery,
  MoneyBreakdownRow,
} from '../../stats/money/money-breakdown.ts'
import { getMrrMovements, MrrMovements, MrrMovementsQuery } from '../../stats/money/movements.ts'
import { getSubscriptions, SubscriptionRow, SubscriptionsQuery } from '../../stats/money/subscriptions.ts'
import { getMoney, MoneyQuery, MoneyReport } from '../../stats/money/summary.ts'
import { sharedSiteProcedure } from '../shared-site.ts'

const moneyProcedure = sharedSiteProcedure.meta({ section: 'revenue' })

/** Reads of money, in the site's currency. */
export const moneyProcedures = {
  money: moneyProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/money',
      summary: 'Read revenue and recurring revenue',
      description: 'MRR, its changes, customers and revenue of the range, and of the period before.',
      answer: 'The report.',
    })
    .input(MoneyQuery)
    .output(MoneyReport)
    .query(({ ctx, input }) => getMoney(ctx, ctx.site, input)),
  moneyMovements: moneyProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/money/movements',
      summary: 'Read changes of MRR over time',
      description: 'The changes of MRR by kind in each bucket of the range, and the MRR at its end.',
      answer: 'A series for each kind, aligned with the labels.',
    })
    .input(MrrMovementsQuery)
    .output(MrrMovements)
    .query(({ ctx, input }) => getMrrMovements(ctx, ctx.site, input)),
  moneyChanges: moneyProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/money/changes',
      summary: 'List changes of MRR',
      description: 'Whose MRR changed in the range, how and by how much. Needs the section `people`, too.',
      answer: 'A page of changes, the newest first.',
    })
    .input(MrrChangesQuery)
    .output(envelope(MrrChange))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getMrrChanges(ctx, ctx.site, input))),
  moneyCustomers: moneyProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/money/customers',
      summary: 'List customers',
      description:
        'Everybody who ever paid or had MRR, with what they paid to date. Needs the section `people`, too.',
      answer: 'A page of customers.',
    })
    .input(CustomersQuery)
    .output(envelope(Customer))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getCustomers(ctx, ctx.site, input))),
  moneySubscriptions: moneyProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/money/subscriptions',
      summary: 'List subscriptions',
      description: 'Subscriptions of the processor as they are now. Needs the section `people`, too.',
      answer: 'A page of subscriptions.',
    })
    .input(SubscriptionsQuery)
    .output(envelope(SubscriptionRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getSubscriptions(ctx, ctx.site, input))),
  moneyBreakdown: moneyProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/money/breakdown',
      summary: 'Break money down by a dimension',
      description: 'The money of the sessions with each value, most first.',
      answer: 'A page of values.',
    })
    .input(MoneyBreakdownQuery)
    .output(envelope(MoneyBreakdownRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getMoneyBreakdown(ctx, ctx.site, input))),
  moneyLifetimeValue: moneyProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/money/lifetime-value',
      summary: 'Read lifetime value by first visit',
      description:
        'What customers have paid to date, by a dimension of their first visit, most revenue first.',
      answer: 'A page of values.',
    })
    .input(LifetimeValueQuery)
    .output(envelope(LifetimeValueRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getLifetimeValue(ctx, ctx.site, input))),
}
