import { z } from 'zod'
import { visitorIn } from '../../../money/processor/objects.ts'
import { MOST_MINOR } from '../../../platform/schema/amounts.ts'
import { text } from '../../../platform/schema/validation.ts'
import { readTime } from '../read/times.ts'

// The rows of a file of payments and subscriptions (docs/import-money.md). Every value is text in CSV, and may be a number or a truth
// value in JSON lines. Empty means absent.

const given = (value: unknown) => {
  if (value === null || value === undefined || value === '') return undefined
  return typeof value === 'string' ? value.trim() || undefined : String(value)
}

const optional = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(given, schema.optional())
const required = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(given, z.string('is required').pipe(schema as unknown as z.ZodType<z.output<Schema>, string>))

const Id = text(255)
const whole = (min: number, max = MOST_MINOR) =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .refine(value => value >= min && value <= max, `must be from ${min} to ${max}`)
const Currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'must be a currency code, such as USD')
  .transform(code => code.toUpperCase())
const Visitor = z.string().transform((value, context) => {
  const id = visitorIn(value)
  if (id !== null) return id
  context.addIssue({ code: 'custom', message: 'must be a UUID' })
  return z.NEVER
})
const Flag = z.enum(['true', 'false'], 'must be true or false').transform(value => value === 'true')
const EARLIEST = Date.UTC(1990, 0)

/** @param zone of times that name none */
export const rowSchema = (zone: string, now: Date) => {
  const Time = z.string().transform((value, context) => {
    const at = readTime(value, zone)
    if (at !== undefined && at >= EARLIEST && at <= now.getTime()) return at
    const message =
      at === undefined
        ? 'must be an ISO 8601 date or time'
        : at < EARLIEST
          ? 'lies before 1990'
          : 'lies in the future'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  const payer = { customer: optional(Id), visitor: optional(Visitor) }
  return z.discriminatedUnion(
    'type',
    [
      z.object({
        type: z.literal('payment'),
        id: required(Id),
        at: required(Time),
        amount: required(whole(1)),
        currency: required(Currency),
        subscription: optional(Id),
        refunded: optional(whole(0)),
        email: optional(Id),
        name: optional(Id),
        ...payer,
      }),
      z.object({
        type: z.literal('refund'),
        id: required(Id),
        at: required(Time),
        payment: required(Id),
        amount: required(whole(1)),
      }),
      z.object({
        type: z.literal('subscription'),
        id: required(Id),
        at: required(Time),
        status: required(
          z.enum(
            ['trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled'],
            'must be trialing, active, past_due, unpaid, paused or canceled',
          ),
        ),
        amount: required(
          z.string().regex(/^\d{1,15}(\.\d{1,12})?$/, 'must be an amount in minor units, such as 4999'),
        ),
        currency: required(Currency),
        interval: required(z.enum(['day', 'week', 'month', 'year'], 'must be day, week, month or year')),
        interval_count: optional(whole(1, 1_095)),
        quantity: optional(whole(0, 1_000_000_000)),
        ending: optional(Flag),
        ...payer,
      }),
    ],
    'must be payment, refund or subscription',
  )
}

export type MoneyRow = z.infer<ReturnType<typeof rowSchema>>
