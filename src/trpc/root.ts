import { accountRouter } from './account.ts'
import { alertsRouter } from './alerts.ts'
import { annotationsRouter } from './annotations.ts'
import { auditRouter } from './audit.ts'
import { authRouter } from './auth.ts'
import { goalsRouter } from './goals.ts'
import { identitiesRouter } from './identities.ts'
import { importedTotalsRouter } from './imported-totals.ts'
import { importsRouter } from './imports.ts'
import { invitationsRouter } from './invitations.ts'
import { passkeysRouter } from './passkeys.ts'
import { paymentsRouter } from './payments.ts'
import { peopleRouter } from './person-rights.ts'
import { router } from './procedures.ts'
import { processorRouter } from './processor.ts'
import { reportsRouter } from './reports.ts'
import { funnelsRouter } from './saved-funnels.ts'
import { segmentsRouter } from './segments.ts'
import { sharesRouter } from './shares.ts'
import { optionsRouter, sitesRouter } from './sites.ts'
import { statsRouter } from './stats.ts'
import { teamRouter, teamsRouter } from './teams.ts'
import { tokensRouter } from './tokens.ts'
import { usersRouter } from './users.ts'
import { webhooksRouter } from './webhooks.ts'

/** The order is that of the REST routes and of the API description. */
export const appRouter = router({
  sites: sitesRouter,
  stats: statsRouter,
  goals: goalsRouter,
  segments: segmentsRouter,
  annotations: annotationsRouter,
  funnels: funnelsRouter,
  shares: sharesRouter,
  reports: reportsRouter,
  payments: paymentsRouter,
  processor: processorRouter,
  importedTotals: importedTotalsRouter,
  webhooks: webhooksRouter,
  alerts: alertsRouter,
  people: peopleRouter,
  imports: importsRouter,
  options: optionsRouter,
  tokens: tokensRouter,
  team: teamRouter,
  teams: teamsRouter,
  users: usersRouter,
  invitations: invitationsRouter,
  audit: auditRouter,
  auth: authRouter,
  account: accountRouter,
  passkeys: passkeysRouter,
  identities: identitiesRouter,
})

export type AppRouter = typeof appRouter
