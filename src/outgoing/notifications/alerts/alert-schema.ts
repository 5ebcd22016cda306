import { z } from 'zod'
import { decimal, flag, label, timestamp, uuid } from '../../../platform/schema/fields.ts'
import { envelope, pageFields } from '../../../platform/schema/pagination.ts'
import { requiredName } from '../../../platform/schema/validation.ts'
import { address, addressState, language } from '../recipients/recipient-schema.ts'
import { Condition, GivenCondition } from './conditions.ts'
import { RESOLUTIONS } from './incident-rows.ts'

const emails = z
  .array(address)
  .max(10)
  .overwrite(given => [...new Set(given)])
  .meta({ description: 'Addresses that get a mail, once they have agreed.', example: ['ada@example.com'] })
const webhooks = z
  .array(z.guid('must be an id'))
  .max(10)
  .overwrite(given => [...new Set(given)])
  .meta({ description: 'Ids of webhooks of the site that get a message.' })

/** @see docs/notifications.md "Alerts" */
export const Alert = z
  .object({
    id: uuid('Alert id.'),
    name: label('Its name.', 'Too few visitors'),
    condition: Condition,
    emails: z
      .array(z.string())
      .meta({ description: 'Addresses that it names.', example: ['ada@example.com'] }),
    recipients: z
      .array(z.object({ address: label('One of `emails`.', 'ada@example.com'), state: addressState }))
      .meta({ description: 'Which of its addresses get mails.' }),
    webhooks,
    is_enabled: flag('Whether it is switched on.', true),
    checked_at: timestamp('When it was checked last.').nullable(),
    open_since: timestamp('Since when an incident is open; null without one.').nullable(),
    created_at: timestamp('When it was made.'),
  })
  .meta({ id: 'Alert' })
export type Alert = z.infer<typeof Alert>
export const AlertList = z.array(Alert)

const fields = {
  name: requiredName(100).meta({ description: 'Its name.', example: 'Too few visitors' }),
  condition: GivenCondition,
  emails,
  webhooks,
}
const ofNewAddresses = language.meta({
  description: 'Language of mails to those of its addresses that get no mails of the site yet.',
})

export const CreateAlert = z.object({
  ...fields,
  emails: emails.default([]),
  webhooks: webhooks.default([]),
  language: ofNewAddresses.default('en'),
})
export type CreateAlert = z.infer<typeof CreateAlert>

/** Fields that are left out stay as they are. */
export const ChangeAlert = z
  .object({ ...fields, language: ofNewAddresses, is_enabled: flag('Whether it is switched on.', true) })
  .partial()
export type ChangeAlert = z.infer<typeof ChangeAlert>

export const AlertKey = z.object({ alert: uuid('Alert id.') })

const Incident = z
  .object({
    id: uuid('Incident id.'),
    alert: z
      .object({
        id: uuid('Alert id; it may be gone.'),
        name: label('Its name when the incident opened.', 'Too few visitors'),
        kind: label('Kind of its condition.', 'traffic_drop'),
      })
      .meta({ description: 'The alert that found it.' }),
    text: label(
      'What happened, in English.',
      '4 visitors in the last hour; 40 or fewer are unusual at this time of the week.',
    ),
    condition: Condition.nullable().meta({
      description:
        'The condition when it opened, for texts in other languages; null in incidents from before this was kept.',
    }),
    currency: label('Currency of amounts in `value` and `bound`.', 'USD').nullable(),
    goal_name: label('Name of the goal; null unless the condition is about one.', 'Signup').nullable(),
    value: decimal('The number that opened it.', 4),
    bound: decimal('The bound that it was compared with.', 40),
    opened_at: timestamp('When it opened.'),
    resolved_at: timestamp('When it was over; null while it is open.').nullable(),
    resolution: z
      .enum(RESOLUTIONS)
      .nullable()
      .meta({
        description:
          'Why it is over: all is `normal` again; `goal_deleted`; `too_little_data` to judge it for a week; or the alert was `changed`, ' +
          'switched off or deleted. Null while it is open.',
        example: 'normal',
      }),
  })
  .meta({ id: 'AlertIncident' })
export const IncidentPage = envelope(Incident)

export const ListIncidents = z.object(pageFields(25))
export type ListIncidents = z.infer<typeof ListIncidents>
