import { z } from 'zod'
import { decimal, flag, label, timestamp, uuid } from '../../schema/fields.ts'
import { envelope, pageFields } from '../../schema/pagination.ts'
import { requiredName } from '../../schema/validation.ts'
import { Condition } from './conditions.ts'

const emails = z
  .array(z.email('must be an e-mail address').max(254))
  .max(10)
  .overwrite(given => [...new Set(given)])
  .meta({ description: 'Addresses that get a mail.', example: ['ada@example.com'] })
const webhooks = z
  .array(z.guid('must be an id'))
  .max(10)
  .overwrite(given => [...new Set(given)])
  .meta({ description: 'Ids of webhooks of the site that are told.' })

/** @see docs/notifications.md "Alerts" */
export const Alert = z
  .object({
    id: uuid('Alert id.'),
    name: label('Its name.', 'Too few visitors'),
    condition: Condition,
    emails,
    webhooks,
    is_enabled: flag('Whether it is checked.', true),
    checked_at: timestamp('When it was checked last.').nullable(),
    open_since: timestamp('Since when an incident is open; null without one.').nullable(),
    created_at: timestamp('When it was made.'),
  })
  .meta({ id: 'Alert' })
export type Alert = z.infer<typeof Alert>
export const AlertList = z.array(Alert)

const fields = {
  name: requiredName(100).meta({ description: 'Its name.', example: 'Too few visitors' }),
  condition: Condition,
  emails,
  webhooks,
}

export const CreateAlert = z.object({ ...fields, emails: emails.default([]), webhooks: webhooks.default([]) })
export type CreateAlert = z.infer<typeof CreateAlert>

/** Fields that are left out stay as they are. */
export const ChangeAlert = z.object({ ...fields, is_enabled: flag('Whether it is checked.', true) }).partial()
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
      .meta({ description: 'The alert that it is of.' }),
    text: label('What happened.', '4 visitors in the last hour; fewer than 40 are unusual.'),
    value: decimal('The number that opened it.', 4),
    bound: decimal('What it was compared with.', 40),
    opened_at: timestamp('When it opened.'),
    resolved_at: timestamp('When it was over; null while it is open.').nullable(),
  })
  .meta({ id: 'AlertIncident' })
export const IncidentPage = envelope(Incident)

export const ListIncidents = z.object(pageFields(25))
export type ListIncidents = z.infer<typeof ListIncidents>
