import { z } from 'zod'
import { envelope, pageFields } from '../infra/pagination.ts'
import { requiredText, text } from '../infra/validation.ts'
import { isCalendarDate } from '../stats/local-time.ts'

/** Absent, null and the empty string all mean that it is not known. */
const OptionalText = text(255)
  .nullish()
  .transform(value => value || undefined)

const OptionalUuid = z
  .guid()
  .nullish()
  .transform(value => value?.toLowerCase())

const Flag = z.boolean().default(false)

const DateTime = z.iso.datetime({ offset: true })

/** As text: which moment a date means depends on the site's zone. */
const Timestamp = z
  .string()
  .refine(
    value => isCalendarDate(value) || DateTime.safeParse(value).success,
    'must be an ISO 8601 date-time with its offset, or a date of the years from 1970, written YYYY-MM-DD',
  )
  .nullish()
  .transform(value => value ?? undefined)

/** @see spec.md "POST /api/sites/{siteKey}/payments" */
export const RecordPayment = z.object({
  amount: z.int().min(1),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be 3 upper-case letters, such as USD'),
  transaction_id: requiredText(255),
  visitor_id: OptionalUuid,
  session_id: OptionalUuid,
  email: OptionalText,
  name: OptionalText,
  customer_id: OptionalText,
  renewal: Flag,
  refunded: Flag,
  is_free_trial: Flag,
  recurring: Flag,
  timestamp: Timestamp,
})
export type RecordPayment = z.infer<typeof RecordPayment>

export const DeletePayment = z.object({ transaction_id: requiredText(255) })
export type DeletePayment = z.infer<typeof DeletePayment>

export const PaymentRecorded = z.object({ message: z.string(), transaction_id: z.string() })
export type PaymentRecorded = z.infer<typeof PaymentRecorded>

export const PaymentDeleted = z.object({ message: z.string() })
export type PaymentDeleted = z.infer<typeof PaymentDeleted>

/** A payment as it is read back; `refunded` when all of it was given back. */
const Payment = z.object({
  transaction_id: z.string(),
  amount: z.int(),
  currency: z.string(),
  visitor_id: z.string().nullable(),
  session_id: z.string().nullable(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  customer_id: z.string().nullable(),
  renewal: z.boolean(),
  refunded: z.boolean(),
  is_free_trial: z.boolean(),
  recurring: z.boolean(),
  timestamp: z.string(),
  source: z.enum(['api', 'processor']),
  created_at: z.string(),
})
export type Payment = z.infer<typeof Payment>
export const PaymentPage = envelope(Payment)

export const ListPayments = z.object(pageFields(25))
export type ListPayments = z.infer<typeof ListPayments>

const PROVIDERS = ['stripe'] as const

/** Replaces the connection there is, if any: an API key that is left out is forgotten. */
export const ConnectProcessor = z.object({
  provider: z.enum(PROVIDERS),
  webhook_secret: requiredText(255),
  api_key: OptionalText,
})
export type ConnectProcessor = z.infer<typeof ConnectProcessor>

export const ProcessorConnection = z.object({
  provider: z.enum(PROVIDERS),
  webhook_url: z.string(),
  connected_at: z.string(),
})
export type ProcessorConnection = z.infer<typeof ProcessorConnection>
