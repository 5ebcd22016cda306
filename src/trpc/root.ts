import { accountRouter } from './account.ts'
import { auditRouter } from './audit.ts'
import { authRouter } from './auth.ts'
import { goalsRouter } from './goals.ts'
import { identitiesRouter } from './identities.ts'
import { passkeysRouter } from './passkeys.ts'
import { peopleRouter } from './people.ts'
import { router } from './procedures.ts'
import { paymentsRouter, processorRouter } from './revenue.ts'
import { sharesRouter } from './shares.ts'
import { optionsRouter, sitesRouter } from './sites.ts'
import { statsRouter } from './stats.ts'
import { tokensRouter } from './tokens.ts'

/** The order is that of the REST routes and of the API description. */
export const appRouter = router({
  sites: sitesRouter,
  stats: statsRouter,
  goals: goalsRouter,
  shares: sharesRouter,
  payments: paymentsRouter,
  processor: processorRouter,
  people: peopleRouter,
  options: optionsRouter,
  tokens: tokensRouter,
  audit: auditRouter,
  auth: authRouter,
  account: accountRouter,
  passkeys: passkeysRouter,
  identities: identitiesRouter,
})

export type AppRouter = typeof appRouter
