import { z } from 'zod'
import { GivenPassword, NewPassword } from '../../access/accounts/passwords.ts'
import { SECTIONS, type Section } from '../../platform/dimensions/sections.ts'
import { flag, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { dateTime, requiredName } from '../../platform/schema/validation.ts'
import { ShareFilters } from './share-filters.ts'

const Sections = z.array(z.enum(SECTIONS)).meta({
  description: 'What it shows.',
  example: ['traffic', 'sources', 'pages'],
})

/** @see docs/api.md "Sharing" */
export const Share = z
  .object({
    id: uuid('Share id.'),
    name: label('Name to show.', 'For the agency'),
    sections: Sections,
    filters: ShareFilters,
    has_password: flag('Whether its readers need a password.'),
    may_export: flag('Whether its readers may export what they see.'),
    expires_at: timestamp('When it stops working; null for never.').nullable(),
    last_used_at: timestamp('When it was last used, to the minute; null for never.').nullable(),
    created_by: label(
      'E-mail address of who made it; null when they are gone.',
      'ada@example.com',
    ).nullable(),
    created_at: timestamp('When it was made.'),
  })
  .meta({ id: 'Share' })
export type Share = z.infer<typeof Share>
export const ShareList = z.array(Share)

/** A share as it is shown once, on creation. */
export const CreatedShare = Share.extend({
  secret: label(
    'The secret of the link: it is not shown again; null for a token.',
    'wsh_3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc',
  ).nullable(),
  url: label(
    'The link; null for a token.',
    'http://127.0.0.1:3000/share/0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90#wsh_3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc',
  ).nullable(),
}).meta({ id: 'CreatedShare' })
export type CreatedShare = z.infer<typeof CreatedShare>

const inOrder = (given: Section[]) => SECTIONS.filter(section => given.includes(section))

const fields = {
  name: requiredName(255).meta({ description: 'Name to show.', example: 'For the agency' }),
  sections: z
    .array(z.enum(SECTIONS))
    .min(1)
    .max(SECTIONS.length)
    .transform(inOrder)
    .meta({ description: 'What it shows.', example: ['traffic', 'sources', 'pages'] }),
  filters: ShareFilters,
  password: NewPassword.nullable().meta({
    description: 'What its readers must know beside the link; null for nothing.',
    example: null,
  }),
  expires_at: dateTime
    .transform(value => new Date(value))
    .nullable()
    .meta({ description: 'When it stops working; null for never.', example: '2099-12-31T00:00:00Z' }),
  may_export: z.boolean().meta({ description: 'Whether its readers may export what they see.' }),
}

export const CreateShare = z.object({
  name: fields.name,
  sections: fields.sections,
  filters: fields.filters.optional(),
  password: fields.password.optional(),
  expires_at: fields.expires_at.optional(),
  may_export: fields.may_export.optional(),
})
export type CreateShare = z.infer<typeof CreateShare>

export const ShareKey = z.object({ id: uuid('Share id.') })

/** Fields that are left out stay as they are. */
export const ChangeShare = CreateShare.partial()
export type ChangeShare = z.infer<typeof ChangeShare>

export const OpenShare = z.object({
  secret: z.string().max(1_000).meta({
    description: 'Secret of the link.',
    example: 'wsh_3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc',
  }),
  password: GivenPassword.optional(),
})
export type OpenShare = z.infer<typeof OpenShare>

const granted = {
  name: label('Name of the share; null for a public site and for users.', 'For the agency').nullable(),
  sections: Sections,
  filters: ShareFilters,
  may_export: flag('Whether the reader may export what they see.'),
}

const siteParts = {
  id: uuid('Site id.'),
  domain: label('Domain.', 'example.com'),
  timezone: label('Time zone, in which days begin.', 'Europe/Berlin'),
  currency: label('Reporting currency.', 'USD'),
  favicon_url: z.string().meta({
    format: 'uri',
    description: 'Where the service serves the icon.',
    example: 'http://127.0.0.1:3000/favicons/example.com',
  }),
  has_data: flag('The site has received its first hit.', true),
  first_event_at: timestamp('Time of its earliest hit; null without any.').nullable(),
}

/** What readers see of a site and of what they may read. */
export const SharedSite = z
  .object({
    ...siteParts,
    ...granted,
    expires_at: timestamp('When the share stops working; null for never.').nullable(),
  })
  .meta({ id: 'SharedSite' })
export type SharedSite = z.infer<typeof SharedSite>

export const OpenedShare = z
  .object({
    access: label(
      'What to send as the bearer token.',
      `wsa_${'AZfQpXw-exqfWC8cTW6KkAAAaQ'.repeat(3).slice(0, 72)}`,
    ),
    expires_at: timestamp('When it stops working.'),
    site: z.object(siteParts).meta({ description: 'The site.' }),
    ...granted,
  })
  .meta({ id: 'OpenedShare' })
export type OpenedShare = z.infer<typeof OpenedShare>
