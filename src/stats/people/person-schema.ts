import { z } from 'zod'
import { label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { envelope, integerParameter, pageFields } from '../../platform/schema/pagination.ts'
import { requiredText, text } from '../../platform/schema/validation.ts'

/** Longer than every identifier, so that none can be too long to be erased. */
export const PersonKey = z.object({
  person: requiredText(1_000).meta({
    description: 'A visitor id, or the identifier of a user.',
    example: 'user-42',
  }),
})
export type PersonKey = z.infer<typeof PersonKey>

export const ErasureKey = z.object({ id: uuid('Of the erasure.') })
export type ErasureKey = z.infer<typeof ErasureKey>

/** @see docs/api.md "People" */
export const Erasure = z
  .object({
    id: uuid('Of the erasure.'),
    status: z
      .enum(['waiting', 'running', 'finished'])
      .meta({ description: 'Until it is `finished`, reports still count some of the person.' }),
    person: label('As it was asked for; null once it is finished.', 'user-42').nullable(),
    requested_at: timestamp('When it was asked for.'),
    finished_at: timestamp('When everything was gone; null before.').nullable(),
  })
  .meta({ id: 'Erasure' })
export type Erasure = z.infer<typeof Erasure>

export const ListErasures = z.object(pageFields(25))
export type ListErasures = z.infer<typeof ListErasures>
export const ErasurePage = envelope(Erasure)

export const ExportPerson = PersonKey.extend({
  cursor: text(2_048)
    .optional()
    .meta({ description: '`next_cursor` of the page before; the first page without one.' }),
  per_page: integerParameter(1, 1_000)
    .prefault(500)
    .meta({ description: 'Most sessions, hits, payments and service events on a page, together.' }),
})
export type ExportPerson = z.infer<typeof ExportPerson>
