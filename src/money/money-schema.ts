import { z } from 'zod'
import { MOST_MINOR } from '../platform/schema/amounts.ts'
import { label, timestamp, uuid } from '../platform/schema/fields.ts'
import { envelope, pageFields } from '../platform/schema/pagination.ts'
import { requiredText, text } from '../platform/schema/validation.ts'
import { isCalendarDate } from '../platform/time/local-time.ts'

/** Absent, null and the empty string all mean unknown. */
const OptionalText = text(255)
  .nullish()
  .transform(value => value || undefined)

const OptionalUuid = z
  .guid()
  .nullish()
  .transform(value => value?.toLowerCase())

const Flag = z.boolean().default(false)

const DateTime = z.iso.datetime({ offset: true })

/** Stays text here: the moment of a date depends on the site's zone. */
const Timestamp = z
  .string()
  .refine(
    value => isCalendarDate(value) || DateTime.safeParse(value).success,
    'must be an ISO 8601 date-time with its offset, or a date of the years from 1970, written YYYY-MM-DD',
  )
  .nullish()
  .transform(value => value ?? undefined)

/** @see docs/api.md "Payments" */
export const RecordPayment = z
  .object({
    amount: z.int().min(1).max(MOST_MINOR).meta({ description: 'Minor units.', example: 4999 }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be 3 upper-case letters, such as USD')
      .meta({ description: "The site's reporting currency.", example: 'USD' }),
    transaction_id: requiredText(255).meta({
      description: 'Unique for each payment. A payment that is sent again under the same id changes nothing.',
      example: 'order-1042',
    }),
    visitor_id: OptionalUuid.meta({ description: 'Visitor who paid.' }),
    session_id: OptionalUuid.meta({
      description: 'Only stored: a payment belongs to a session of its visitor.',
    }),
    email: OptionalText.meta({ description: 'Of the customer.', example: 'ada@example.com' }),
    name: OptionalText.meta({ description: 'Of the customer.', example: 'Ada Lovelace' }),
    customer_id: OptionalText.meta({
      description: 'Id of the customer in your system.',
      example: 'c-42',
    }),
    renewal: Flag.meta({ description: 'Renewal of a subscription.' }),
    refunded: Flag.meta({ description: 'The whole amount was refunded.' }),
    is_free_trial: Flag.meta({ description: 'A free trial was converted.' }),
    recurring: Flag.meta({ description: 'Recurring payment.' }),
    timestamp: Timestamp.meta({
      description:
        "When it was paid: a date-time with its offset, or a day of the site's zone; now when left out.",
      example: '2026-03-29T09:41:07Z',
    }),
  })
  .meta({
    id: 'PaymentInput',
    example: { amount: 4999, currency: 'USD', transaction_id: 'order-1042', customer_id: 'c-42' },
  })
export type RecordPayment = z.infer<typeof RecordPayment>

export const DeletePayment = z.object({
  transaction_id: requiredText(255).meta({ description: 'Of the payment.', example: 'order-1042' }),
})
export type DeletePayment = z.infer<typeof DeletePayment>

export const PaymentRecorded = z.object({
  message: label('For people.', 'Payment recorded'),
  transaction_id: label('Of the payment.', 'order-1042'),
})
export type PaymentRecorded = z.infer<typeof PaymentRecorded>

export const PaymentDeleted = z.object({ message: label('For people.', 'Payment deleted') })
export type PaymentDeleted = z.infer<typeof PaymentDeleted>

/** A payment as the API returns it; `refunded` when the whole amount was refunded. */
export const Payment = z
  .object({
    transaction_id: label('Of the payment.', 'order-1042'),
    amount: z.int().meta({ description: 'Minor units.', example: 4999 }),
    currency: label('ISO 4217.', 'USD'),
    visitor_id: uuid('Visitor who paid, if known.').nullable(),
    session_id: uuid('As it was sent.').nullable(),
    email: label('Of the customer.', 'ada@example.com').nullable(),
    name: label('Of the customer.', 'Ada Lovelace').nullable(),
    customer_id: label('Id of the customer in your system.', 'c-42').nullable(),
    renewal: z.boolean().meta({ description: 'Renewal of a subscription.' }),
    refunded: z.boolean().meta({ description: 'The whole amount was refunded.' }),
    refunded_amount: z.int().meta({ description: 'What was refunded to date, minor units.', example: 0 }),
    is_free_trial: z.boolean().meta({ description: 'A free trial was converted.' }),
    recurring: z.boolean().meta({ description: 'Recurring payment.' }),
    timestamp: timestamp('When it was paid.'),
    source: z
      .enum(['api', 'processor'])
      .meta({ description: 'Whether the API or the processor recorded it.' }),
    created_at: timestamp('When it was recorded.'),
  })
  .meta({ id: 'Payment' })
export type Payment = z.infer<typeof Payment>
export const PaymentPage = envelope(Payment)

export const ListPayments = z.object({
  customer: requiredText(300).optional().meta({
    description:
      "Only those of one customer, in the currency of the site, by the `id` that `stats/money/customers` gives: `c:` and the customer's id, `e:` and the e-mail address, `v:` and the visitor, or `p:` and the transaction.",
    example: 'c:c-42',
  }),
  ...pageFields(25),
})
export type ListPayments = z.infer<typeof ListPayments>

const PROVIDERS = ['stripe'] as const

/** A secret as it is pasted: spaces and line breaks around it are none of it. */
const trimmed = (given: unknown) => (typeof given === 'string' ? given.trim() : given)

/** Replaces an existing connection. Without an API key in the body, the stored key is deleted. */
export const ConnectProcessor = z.object({
  provider: z.enum(PROVIDERS).meta({ description: 'The payment processor.' }),
  webhook_secret: z.preprocess(trimmed, requiredText(255)).meta({
    description: 'Secret with which the processor signs its events; never shown again.',
    example: 'whsec_your_signing_secret',
  }),
  api_key: z.preprocess(trimmed, OptionalText).meta({
    description: 'Key to look up data that events omit; never shown again.',
    example: 'rk_your_restricted_key',
  }),
})
export type ConnectProcessor = z.infer<typeof ConnectProcessor>

export const ProcessorConnection = z
  .object({
    provider: z.enum(PROVIDERS).meta({ description: 'The payment processor.' }),
    webhook_url: z.string().meta({
      format: 'uri',
      description: 'Address to which the processor must send its events.',
      example: 'http://127.0.0.1:3000/api/processor/webhook/0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90',
    }),
    connected_at: timestamp('When it was connected.'),
    import_started_at: timestamp(
      'When the latest import of its past was started; null without any.',
    ).nullable(),
  })
  .meta({ id: 'ProcessorConnection' })
export type ProcessorConnection = z.infer<typeof ProcessorConnection>
