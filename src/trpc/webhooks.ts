import { z } from 'zod'
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  removeWebhook,
  rotateSecret,
} from '../outgoing/notifications/webhooks/endpoints.ts'
import { getDelivery, listDeliveries } from '../outgoing/notifications/webhooks/read-log.ts'
import { redeliver, sendTest } from '../outgoing/notifications/webhooks/send-by-hand.ts'
import { MOST_ENDPOINTS } from '../outgoing/notifications/webhooks/webhook-limits.ts'
import {
  ChangeWebhook,
  CreatedWebhook,
  CreateWebhook,
  Delivery,
  DeliveryDetail,
  DeliveryKey,
  DeliveryPage,
  ListDeliveries,
  RotatedSecret,
  RotateSecret,
  Webhook,
  WebhookKey,
  WebhookList,
} from '../outgoing/notifications/webhooks/webhook-schema.ts'
import { managedSiteProcedure, router } from './procedures.ts'

const UNKNOWN = 'No such site, or no such webhook of it'
const UNKNOWN_DELIVERY = 'No such site, no such webhook of it, or no such delivery'
const NOT_MADE = 'A token did not make the webhook; or the user is no owner or admin of the team'
const NOT_READY = 'The webhook is off, or its queue is full'

export const webhooksRouter = router({
  list: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/webhooks',
      summary: 'List webhooks',
      answer: 'A bare array, the oldest first; without secrets.',
    })
    .output(WebhookList)
    .query(({ ctx }) => listWebhooks(ctx, ctx.site)),
  create: managedSiteProcedure
    .meta({
      givesReading: true,
      method: 'post',
      path: '/api/sites/:siteKey/webhooks',
      ok: 201,
      summary: 'Create a webhook',
      description: 'It is sent what happens from now on. A webhook that a token makes ends with the token.',
      answer: 'The new webhook; its secret is shown for the only time.',
      forbidden: `The site has ${MOST_ENDPOINTS} webhooks, as many as it may; or the user is no owner or admin`,
    })
    .input(CreateWebhook)
    .output(CreatedWebhook)
    .mutation(({ ctx, input }) => createWebhook(ctx, ctx.caller, ctx.site, input)),
  change: managedSiteProcedure
    .meta({
      givesReading: true,
      method: 'patch',
      path: '/api/sites/:siteKey/webhooks/:webhook',
      summary: 'Change a webhook',
      description:
        'What is left out stays. Switching it off ends what waits; switched on again, it is sent what happens from then on; switched on in a browser, it no longer ends with the token that made it.',
      answer: 'The webhook.',
      forbidden: NOT_MADE,
      not_found: UNKNOWN,
    })
    .input(WebhookKey)
    .input(ChangeWebhook)
    .output(Webhook)
    .mutation(({ ctx, input: { webhook, ...changes } }) =>
      changeWebhook(ctx, ctx.caller, ctx.site, webhook, changes),
    ),
  delete: managedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/webhooks/:webhook',
      summary: 'Delete a webhook',
      description: 'With its log and what waits.',
      not_found: UNKNOWN,
    })
    .input(WebhookKey)
    .output(z.void())
    .mutation(({ ctx, input }) => removeWebhook(ctx, ctx.site, input.webhook)),
  rotate: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/webhooks/:webhook/secret',
      summary: 'Make a new secret of a webhook',
      description: 'For some hours messages have a signature of each secret.',
      answer: 'The new secret, shown for the only time.',
      forbidden: NOT_MADE,
      not_found: UNKNOWN,
    })
    .input(WebhookKey)
    .input(RotateSecret)
    .output(RotatedSecret)
    .mutation(({ ctx, input: { webhook, ...options } }) =>
      rotateSecret(ctx, ctx.caller, ctx.site, webhook, options),
    ),
  test: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/webhooks/:webhook/test',
      ok: 202,
      summary: 'Send a test message to a webhook',
      answer: 'The delivery, which is sent within seconds.',
      not_found: UNKNOWN,
      validation_failed: NOT_READY,
    })
    .input(WebhookKey)
    .output(Delivery)
    .mutation(({ ctx, input }) => sendTest(ctx, ctx.site, input.webhook)),
  deliveries: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/webhooks/:webhook/deliveries',
      summary: 'List deliveries of a webhook',
      description: 'Of the last 30 days, the newest first.',
      answer: 'A page of deliveries.',
      not_found: UNKNOWN,
    })
    .input(ListDeliveries)
    .output(DeliveryPage)
    .query(({ ctx, input }) => listDeliveries(ctx, ctx.site, input)),
  delivery: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/webhooks/:webhook/deliveries/:delivery',
      summary: 'Read a delivery',
      answer: 'The delivery with its attempts and the JSON of its event.',
      not_found: UNKNOWN_DELIVERY,
    })
    .input(DeliveryKey)
    .output(DeliveryDetail)
    .query(({ ctx, input }) => getDelivery(ctx, ctx.site, input.webhook, input.delivery)),
  redeliver: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/webhooks/:webhook/deliveries/:delivery/redeliver',
      ok: 202,
      summary: 'Send a delivery again',
      description: 'At once, with the same event id, and for another three days.',
      answer: 'The delivery.',
      not_found: UNKNOWN_DELIVERY,
      validation_failed: NOT_READY,
    })
    .input(DeliveryKey)
    .output(Delivery)
    .mutation(({ ctx, input }) => redeliver(ctx, ctx.site, input.webhook, input.delivery)),
})
