import { goalsRouter } from './goals.ts'
import { optionsRouter } from './options.ts'
import { router } from './procedures.ts'
import { sitesRouter } from './sites.ts'
import { statsRouter } from './stats.ts'
import { tokensRouter } from './tokens.ts'

export const appRouter = router({
  sites: sitesRouter,
  goals: goalsRouter,
  stats: statsRouter,
  options: optionsRouter,
  tokens: tokensRouter,
})

export type AppRouter = typeof appRouter
