import { z } from 'zod'
import {
  changeAlert,
  createAlert,
  listAlerts,
  listIncidents,
  MOST_ALERTS,
  removeAlert,
  testAlert,
} from '../notifications/alerts/rules.ts'
import {
  Alert,
  AlertKey,
  AlertList,
  ChangeAlert,
  CreateAlert,
  IncidentPage,
  ListIncidents,
} from '../notifications/alerts/schema.ts'
import { managedSiteProcedure, router } from './procedures.ts'

const UNKNOWN = 'No such site, or no such alert of it'
const WRONG = 'A field is not valid, or the goal or a webhook is not one of this site'

export const alertsRouter = router({
  list: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/alerts',
      summary: 'List alerts',
      answer: 'A bare array, the oldest first.',
    })
    .output(AlertList)
    .query(({ ctx }) => listAlerts(ctx, ctx.site)),
  incidents: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/alerts/incidents',
      summary: 'List incidents',
      description: 'The newest first, also of alerts that are gone.',
      answer: 'A page of incidents.',
    })
    .input(ListIncidents)
    .output(IncidentPage)
    .query(({ ctx, input }) => listIncidents(ctx, ctx.site, input)),
  create: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/alerts',
      ok: 201,
      summary: 'Create an alert',
      answer: 'The new alert.',
      forbidden: `The site has ${MOST_ALERTS} alerts, as many as it may; or the user is no owner or admin`,
      validation_failed: WRONG,
    })
    .input(CreateAlert)
    .output(Alert)
    .mutation(({ ctx, input }) => createAlert(ctx, ctx.site, input)),
  change: managedSiteProcedure
    .meta({
      method: 'patch',
      path: '/api/sites/:siteKey/alerts/:alert',
      summary: 'Change an alert',
      description:
        'What is left out stays. Another condition, and switching it off or on, end an open incident.',
      answer: 'The alert.',
      not_found: UNKNOWN,
      validation_failed: WRONG,
    })
    .input(AlertKey)
    .input(ChangeAlert)
    .output(Alert)
    .mutation(({ ctx, input: { alert, ...changes } }) => changeAlert(ctx, ctx.site, alert, changes)),
  delete: managedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/alerts/:alert',
      summary: 'Delete an alert',
      description: 'Its incidents stay.',
      not_found: UNKNOWN,
    })
    .input(AlertKey)
    .output(z.void())
    .mutation(({ ctx, input }) => removeAlert(ctx, ctx.site, input.alert)),
  test: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/alerts/:alert/test',
      summary: 'Send a test of an alert',
      description: 'To its addresses and webhooks.',
      not_found: UNKNOWN,
    })
    .input(AlertKey)
    .output(z.void())
    .mutation(({ ctx, input }) => testAlert(ctx, ctx.site, input.alert)),
})
