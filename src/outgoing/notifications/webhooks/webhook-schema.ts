import { z } from 'zod'
import { count, flag, label, timestamp, uuid } from '../../../platform/schema/fields.ts'
import { envelope, pageFields } from '../../../platform/schema/pagination.ts'
import { integer, requiredName, requiredText } from '../../../platform/schema/validation.ts'
import { MOST_URL } from './endpoint-url.ts'
import { EVENT_KINDS, FORMATS } from './kinds.ts'
import { MOST_OVERLAP_HOURS } from './webhook-limits.ts'

const kinds = z
  .array(z.enum(EVENT_KINDS))
  .max(EVENT_KINDS.length)
  .overwrite(given => EVENT_KINDS.filter(kind => given.includes(kind)))
  .meta({ description: 'Types of events that are sent.', example: ['goal.converted', 'payment.paid'] })

const format = z.enum(FORMATS).meta({
  description: 'What is sent: `signed` JSON, or a message as incoming webhooks of Slack or Discord take it.',
})

/** @see docs/notifications.md "Webhooks" */
export const Webhook = z
  .object({
    id: uuid('Endpoint id.'),
    name: label('Its name.', 'Customer database'),
    format,
    url: label('Where it is; of Slack and Discord only the host.', 'https://example.com/webhook'),
    kinds,
    is_enabled: flag('Whether events are sent to it.', true),
    failing_since: timestamp('First failure since the last success; null without one.').nullable(),
    given_up_at: timestamp('When the service switched it off, after days of failures.').nullable(),
    waiting: count('Deliveries that wait.', 0),
    dropped: count(
      'Events that were too many: its queue had no room, or a hit converted more than 100 goals.',
      0,
    ),
    previous_secret_until: timestamp('Until when the secret before signs, too.').nullable(),
    created_at: timestamp('When it was made.'),
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof Webhook>
export const WebhookList = z.array(Webhook)

const secret = z
  .string()
  .nullable()
  .meta({ description: 'Key of the signatures, shown only now; null unless `signed`.', example: 'whsec_…' })

export const CreatedWebhook = Webhook.extend({ secret }).meta({ id: 'CreatedWebhook' })
export type CreatedWebhook = z.infer<typeof CreatedWebhook>

const fields = {
  name: requiredName(100).meta({ description: 'Its name.', example: 'Customer database' }),
  url: requiredText(MOST_URL).meta({
    description: 'An https address.',
    example: 'https://example.com/webhook',
  }),
  kinds,
}

export const CreateWebhook = z.object({ ...fields, format: format.default('signed') })
export type CreateWebhook = z.infer<typeof CreateWebhook>

/** Fields that are left out stay as they are. */
export const ChangeWebhook = z
  .object({ ...fields, is_enabled: flag('Whether events are sent to it.', true) })
  .partial()
export type ChangeWebhook = z.infer<typeof ChangeWebhook>

export const WebhookKey = z.object({ webhook: uuid('Endpoint id.') })
export const DeliveryKey = WebhookKey.extend({ delivery: uuid('Delivery id.') })

export const RotateSecret = z.object({
  overlap_hours: integer(0, MOST_OVERLAP_HOURS)
    .default(24)
    .meta({ description: 'How long the secret before signs, too.' }),
})
export type RotateSecret = z.infer<typeof RotateSecret>

export const RotatedSecret = z
  .object({
    secret: z.string().meta({ description: 'The new secret, shown only now.', example: 'whsec_…' }),
    previous_secret_until: timestamp('Until when the secret before signs, too.').nullable(),
  })
  .meta({ id: 'RotatedSecret' })
export type RotatedSecret = z.infer<typeof RotatedSecret>

const STATES = ['pending', 'delivered', 'failed'] as const

export const Delivery = z
  .object({
    id: uuid('Delivery id.'),
    event_id: uuid('Event id: the `id` of the body.'),
    type: label('Type of the event.', 'payment.paid'),
    state: z.enum(STATES).meta({ description: 'What became of it.' }),
    attempts: count('How often it was tried.', 1),
    status: z.int().nullable().meta({ description: 'Status of the last answer.', example: 200 }),
    error: label('Why the last attempt failed.', 'timed_out').nullable(),
    created_at: timestamp('When it was queued.'),
    next_at: timestamp('When it is tried next; null when it is not.').nullable(),
    finished_at: timestamp('When it was delivered or given up.').nullable(),
  })
  .meta({ id: 'WebhookDelivery' })
export type Delivery = z.infer<typeof Delivery>
export const DeliveryPage = envelope(Delivery)

export const ListDeliveries = WebhookKey.extend({
  state: z.enum(STATES).optional().meta({ description: 'Only deliveries in this state.' }),
  ...pageFields(25),
})
export type ListDeliveries = z.infer<typeof ListDeliveries>

export const DeliveryDetail = Delivery.extend({
  body: label('What is sent.', '{"id":"…","type":"payment.paid"}'),
  log: z
    .array(
      z.object({
        number: count('From 1.', 1),
        at: timestamp('When it began.'),
        took_ms: count('Milliseconds.', 84),
        status: z.int().nullable().meta({ description: 'Status of the answer.', example: 500 }),
        answer: label('First bytes of the answer.', 'Internal error'),
        error: label('Why it failed; null for a success.', 'bad_status').nullable(),
      }),
    )
    .meta({ description: 'The last 50 attempts, the newest first.' }),
}).meta({ id: 'WebhookDeliveryDetail' })
export type DeliveryDetail = z.infer<typeof DeliveryDetail>
