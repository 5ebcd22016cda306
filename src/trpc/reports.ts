import { z } from 'zod'
import { LinkOfMail, LookUpLink, Subscription } from '../outgoing/notifications/recipients/link-schema.ts'
import {
  confirmSubscription,
  lookUpSubscription,
  unsubscribe,
} from '../outgoing/notifications/recipients/subscription.ts'
import { previewReport } from '../outgoing/notifications/reports/preview.ts'
import { PreviewQuery, ReportPreview } from '../outgoing/notifications/reports/preview-schema.ts'
import {
  addRecipient,
  changeRecipient,
  dropRecipient,
  listRecipients,
} from '../outgoing/notifications/reports/recipients.ts'
import {
  AddRecipient,
  ChangeRecipient,
  Recipient,
  RecipientKey,
  ReportSettings,
  TestReport,
} from '../outgoing/notifications/reports/report-schema.ts'
import { sendTestReport } from '../outgoing/notifications/reports/test-report.ts'
import { billedSiteProcedure, managedSiteProcedure, openProcedure, router } from './procedures.ts'

const UNKNOWN = 'No such site, or no such recipient of it'
const NO_LINK = 'The link is not whole, or what it was for does not exist any more'

export const reportsRouter = router({
  list: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/reports',
      summary: 'List who gets reports by mail',
      description: 'With what was sent last, and why a mail was not sent.',
      answer: 'The recipients, and whether the service sends mail.',
    })
    .output(ReportSettings)
    .query(({ ctx }) => listRecipients(ctx, ctx.site, ctx.caller)),
  preview: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/reports/preview',
      summary: 'Preview a report',
      description: 'The mail about the newest period that is over. Nothing is sent.',
      answer: 'The mail.',
    })
    .input(PreviewQuery)
    .output(ReportPreview)
    .query(({ ctx, input }) => previewReport(ctx, ctx.caller, ctx.site, input)),
  add: billedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/reports',
      ok: 201,
      summary: 'Send reports to an address',
      description:
        'The address of a user of the team who has proved that it is theirs, and has never unsubscribed, gets reports at once. Any other address is asked first, by one mail.',
      answer: 'The recipient.',
      forbidden:
        'The service sends no mail; the site or the team has as many recipients as it may; or the user is no owner or admin of the team',
      rate_limited: 'More requests than the limit allows, or too many addresses were asked within 24 hours',
    })
    .input(AddRecipient)
    .output(Recipient)
    .mutation(({ ctx, input }) => addRecipient(ctx, ctx.caller, ctx.site, input)),
  change: managedSiteProcedure
    .meta({
      method: 'patch',
      path: '/api/sites/:siteKey/reports/:id',
      summary: 'Change which reports an address gets',
      description: 'What is left out stays.',
      answer: 'The recipient.',
      not_found: UNKNOWN,
    })
    .input(RecipientKey)
    .input(ChangeRecipient)
    .output(Recipient)
    .mutation(({ ctx, input: { id, ...changes } }) => changeRecipient(ctx, ctx.site, id, changes)),
  remove: managedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/reports/:id',
      summary: 'Send no more reports to an address',
      description: 'Alerts that name the address are not changed.',
      not_found: UNKNOWN,
    })
    .input(RecipientKey)
    .output(z.void())
    .mutation(({ ctx, input }) => dropRecipient(ctx, ctx.site, input.id)),
  test: billedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/reports/:id/test',
      summary: 'Send a report now',
      description:
        'The newest one, marked as a test; it does not count as that report. To recipients who have agreed, once in ten minutes each.',
      forbidden:
        'The service sends no mail; the recipient has not agreed; or the user is no owner or admin of the team',
      not_found: UNKNOWN,
      rate_limited:
        'More requests than the limit allows, or a test was sent there within the last ten minutes',
      unavailable: 'The mail server did not take the mail, or the service cannot answer now',
    })
    .input(RecipientKey)
    .input(TestReport)
    .output(z.void())
    .mutation(({ ctx, input }) => sendTestReport(ctx, ctx.site, input.id, input.frequency)),
  lookUp: openProcedure
    .meta({
      method: 'post',
      path: '/api/reports/look-up',
      summary: 'Read what a link of a mail is for',
      answer: 'Whose mails about which site.',
      not_found: NO_LINK,
    })
    .input(LookUpLink)
    .output(Subscription)
    .mutation(({ ctx, input }) => lookUpSubscription(ctx, input.purpose, input.token)),
  confirm: openProcedure
    .meta({
      method: 'post',
      path: '/api/reports/confirm',
      summary: 'Agree to get mails of a site',
      description: 'Reports and alerts, by the link of the mail that asks.',
      answer: 'Whose mails about which site.',
      forbidden: 'A page of another origin sent the request, or the address has unsubscribed since',
      not_found: NO_LINK,
    })
    .input(LinkOfMail)
    .output(Subscription)
    .mutation(({ ctx, input }) => confirmSubscription(ctx, input.token, ctx.auditNetwork)),
  unsubscribe: openProcedure
    .meta({
      method: 'post',
      path: '/api/reports/unsubscribe',
      summary: 'Unsubscribe from the mails of a site',
      description: 'By the link of any mail. It ends all reports and alerts of the site to the address.',
      answer: 'Whose mails about which site.',
      not_found: NO_LINK,
    })
    .input(LinkOfMail)
    .output(Subscription)
    .mutation(({ ctx, input }) => unsubscribe(ctx, input.token, ctx.auditNetwork)),
})
