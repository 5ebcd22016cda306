import { accountRouter } from './account.ts'
import { auditRouter } from './audit.ts'
import { authRouter } from './auth.ts'
import { goalsRouter } from './goals.ts'
import { peopleRouter } from './people.ts'
import { router } from './procedures.ts'
import { paymentsRouter, processorRouter } from './revenue.ts'
import { optionsRouter, sitesRouter } from './sites.ts'
import { statsRouter } from './stats.ts'
import { tokensRouter } from './tokens.ts'

/** The order is that of the REST routes and of the API description. */
export const appRouter = router({
  sites: sitesRouter,
  stats: statsRouter,
  goals: goalsRouter,
  payments: paymentsRouter,
  processor: processorRouter,
  people: peopleRouter,
  options: optionsRouter,
  tokens: tokensRouter,
  audit: auditRouter,
  auth: authRouter,
  account: accountRouter,
})

export type AppRouter = typeof appRouter
