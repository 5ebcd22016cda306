import { router } from './procedures.ts'
import { sitesRouter } from './sites.ts'
import { statsRouter } from './stats.ts'

export const appRouter = router({
  sites: sitesRouter,
  stats: statsRouter,
})

export type AppRouter = typeof appRouter
