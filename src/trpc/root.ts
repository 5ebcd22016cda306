import { goalsRouter } from './goals.ts'
import { optionsRouter } from './options.ts'
import { paymentsRouter } from './payments.ts'
import { router } from './procedures.ts'
import { processorRouter } from './processor.ts'
import { sitesRouter } from './sites.ts'
import { statsRouter } from './stats.ts'
import { tokensRouter } from './tokens.ts'

export const appRouter = router({
  sites: sitesRouter,
  payments: paymentsRouter,
  processor: processorRouter,
  goals: goalsRouter,
  stats: statsRouter,
  options: optionsRouter,
  tokens: tokensRouter,
})

export type AppRouter = typeof appRouter
