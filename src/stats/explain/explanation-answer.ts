import { z } from 'zod'
import { count, label, timestamp } from '../../platform/schema/fields.ts'
import { ROW_KINDS } from './explanation.ts'

/** A count or an amount. JSON numbers are exact up to 2^53 − 1: what is beyond is a text of digits. */
const Amount = z.union([z.number(), z.string()])
const values = (description: string) =>
  z.record(z.string(), Amount).meta({ description, example: { pageviews: 420 } })

export const presentAmount = (amount: bigint): number | string =>
  amount >= BigInt(Number.MIN_SAFE_INTEGER) && amount <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(amount)
    : String(amount)

const Row = z
  .object({
    at: timestamp(
      'When the session started, the payment or movement was made, or the visitor converted last.',
    ),
    id: label(
      'Of a session, as `GET /stats/sessions/{session}` takes it; of a visitor; of a payment its `transaction_id`; of a movement; of a ' +
        'subscription; or the key of a customer. Null where the reader may not see it.',
      '1hnzvs6o0-3f',
    ).nullable(),
    session_id: label('Session that a payment or movement is attributed to.', '1hnzvs6o0-3f').nullable(),
    visitor_id: label('Visitor of a session.', '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90').nullable(),
    subscription_id: label('Of a movement.', 'sub_1Pz0001').nullable(),
    customer: label('Of a payment, a subscription or a change: its customer.', 'c:cus_1Pz0001').nullable(),
    includes_tax: z.boolean().nullable().meta({
      description:
        'Of a subscription or a movement: whether the MRR of the subscription has tax in it, because its price includes tax and the processor does not say which.',
      example: false,
    }),
    kind: label('Of a movement or a change.', 'expansion').nullable(),
    values: values('What the row adds to each term.'),
  })
  .meta({ id: 'ExplainedRow' })
export type ExplainedRow = z.infer<typeof Row>

/** @see docs/metrics.md "Where a number comes from" */
export const Explanation = z
  .object({
    read: z.enum(['overview', 'breakdown', 'money', 'movements']).meta({ description: 'The read it is of.' }),
    metric: label('Which number of it.', 'bounce_rate'),
    number: z.number().nullable().meta({
      description:
        'Exactly what the read answers without `imported`. Null where the read has null, or leaves the field out.',
      example: 41.33,
    }),
    number_exact: z.string().optional().meta({
      description: 'Every digit of `number` where it is null for being beyond 2^53 − 1. Else absent.',
      example: '18014398509481982',
    }),
    rule: z
      .object({
        name: label('Heading of the definition.', 'Bounce rate'),
        text: label(
          'The rule in a sentence.',
          'Sessions with exactly one pageview, in percent of all sessions.',
        ),
        definition: label('Where it is defined.', 'docs/metrics.md#bounce-rate'),
        formula: label('How the number follows from the terms.', '100 × bounces ÷ sessions'),
      })
      .meta({ description: 'How the number is defined.' }),
    range: z
      .object({
        start: timestamp('Where it begins, in UTC.'),
        end: timestamp('Where it ends, in UTC; this instant is not part of it.'),
        local_start: label('The same by the clocks of the site.', '2026-03-01T00:00:00+01:00'),
        local_end: label('The same by the clocks of the site.', '2026-04-01T00:00:00+02:00'),
        timezone: label('Time zone of the site.', 'Europe/Berlin'),
        days: count('Days, both ends included.', 31),
      })
      .meta({ description: 'What the number covers.' }),
    terms: values('Totals that the number is computed from.'),
    before: values('Of terms that go on from before the range: what there was at its start.'),
    overlap: values(
      'Of terms that count what is distinct: how many more the buckets have together, since some of them occur in several.',
    ),
    buckets: z
      .array(
        z.object({
          start: label('Where it begins, by the clocks of the site.', '2026-03-29T00:00:00+01:00'),
          values: values('What it adds to each term.'),
        }),
      )
      .meta({ description: 'Parts of the range; those that add nothing are left out.' }),
    details_from: timestamp(
      'Sessions before it are gone and not listed; null while the whole range has them.',
    ).nullable(),
    rows: z
      .object({
        kind: z.enum(ROW_KINDS).meta({ description: 'What they are.', example: 'session' }),
        data: z.array(Row).meta({ description: 'A page of them, the newest first.' }),
        next_cursor: label('`cursor` of the next page; null on the last.', 'WzE3NzQ3').nullable(),
      })
      .nullable()
      .meta({
        description: 'The rows that the number comes from. Null for readers without the section `people`.',
      }),
  })
  .meta({ id: 'Explanation' })
export type ExplanationAnswer = z.infer<typeof Explanation>
