import { z } from 'zod'
import {
  Alert,
  AlertKey,
  AlertList,
  ChangeAlert,
  CreateAlert,
  IncidentPage,
  ListIncidents,
} from '../outgoing/notifications/alerts/alert-schema.ts'
import {
  changeAlert,
  createAlert,
  MOST_ALERTS,
  removeAlert,
} from '../outgoing/notifications/alerts/change-alerts.ts'
import { listAlerts, listIncidents } from '../outgoing/notifications/alerts/list-alerts.ts'
import { testAlert } from '../outgoing/notifications/alerts/test-alert.ts'
import { billedSiteProcedure, managedSiteProcedure, router } from './procedures.ts'

const UNKNOWN = 'No such site, or no such alert of it'
const ASKED =
  'Addresses that no user of the team has proved to be theirs, or that have ever unsubscribed, are asked first, by one mail each.'
const NO_ROOM =
  'the service sends no mail; the site or the team has as many recipients as it may; or the user is no owner or admin'
const TOO_MANY = 'More requests than the limit allows, or too many addresses were asked within 24 hours'
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
  create: billedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/alerts',
      ok: 201,
      summary: 'Create an alert',
      description: ASKED,
      answer: 'The new alert.',
      forbidden: `The site has ${MOST_ALERTS} alerts, as many as it may; ${NO_ROOM}`,
      rate_limited: TOO_MANY,
      validation_failed: WRONG,
    })
    .input(CreateAlert)
    .output(Alert)
    .mutation(({ ctx, input }) => createAlert(ctx, ctx.caller, ctx.site, input)),
  change: billedSiteProcedure
    .meta({
      method: 'patch',
      path: '/api/sites/:siteKey/alerts/:alert',
      summary: 'Change an alert',
      description: `What is left out stays as it is. Another condition, and switching it off or on, end an open incident. ${ASKED}`,
      answer: 'The alert.',
      forbidden: NO_ROOM,
      rate_limited: TOO_MANY,
      not_found: UNKNOWN,
      validation_failed: WRONG,
    })
    .input(AlertKey)
    .input(ChangeAlert)
    .output(Alert)
    .mutation(({ ctx, input: { alert, ...changes } }) =>
      changeAlert(ctx, ctx.caller, ctx.site, alert, changes),
    ),
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
  test: billedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/alerts/:alert/test',
      summary: 'Send a test of an alert',
      description: 'To its webhooks, and to those of its addresses that have agreed.',
      forbidden: 'No address of the alert has agreed; or the user is no owner or admin',
      rate_limited: 'More requests than the limit allows, or a test was sent within the last ten minutes',
      not_found: UNKNOWN,
    })
    .input(AlertKey)
    .output(z.void())
    .mutation(({ ctx, input }) => testAlert(ctx, ctx.site, input.alert)),
})
