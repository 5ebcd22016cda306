import { z } from 'zod'
import { label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { dateTime, flagParameter, requiredText } from '../../platform/schema/validation.ts'
import { SCOPES } from './caller.ts'

const tokenFields = {
  id: uuid('Token id.'),
  name: label('Name to show.', 'Nightly export'),
  site_ids: z
    .array(z.string().meta({ format: 'uuid' }))
    .nullable()
    .meta({ description: 'The sites it is limited to; null for all of the team.', example: null }),
  scopes: z.array(z.enum(SCOPES)).meta({
    description:
      'What it may do: `read`, `write` (change settings and data), `ingest` (record payments), `admin` (people, roles, invitations, ' +
      'tokens of others, removal of sites).',
    example: ['read'],
  }),
  expires_at: timestamp('When it stops working; null for never.').nullable(),
  last_used_at: timestamp('When it was last used, to the minute; null for never.').nullable(),
  created_at: timestamp('When it was made.'),
}
export const TokenInfo = z
  .object({
    ...tokenFields,
    created_by: uuid(
      'Id of the token that made it, which may be gone; null for one of the command line or of a browser.',
    ).nullable(),
    user_id: uuid('Id of the user whom it acts as.'),
    user_email: label('E-mail address of that user, who made it.', 'ada@example.com'),
  })
  .meta({ id: 'Token' })
export type TokenInfo = z.infer<typeof TokenInfo>

export const TokenList = z.array(TokenInfo)

/** Token as it is shown once, on creation. */
export const CreatedToken = z
  .object({
    ...tokenFields,
    token: label(
      'The token itself: keep it, it is not shown again.',
      'wa_4fJ0pXyYb2N8sQeT6uVhKzR1mWcLgD3aG7kZQ',
    ),
  })
  .meta({ id: 'CreatedToken' })
export type CreatedToken = z.infer<typeof CreatedToken>

/** Fields that are left out or null take the value of the token that makes the request. */
export const CreateToken = z.object({
  name: requiredText(255).meta({ description: 'Name to show.', example: 'Nightly export' }),
  site_ids: z
    .array(z.guid())
    .min(1)
    .max(1_000)
    .nullish()
    .meta({ description: "The sites it is limited to; as the caller's own token when left out or null." }),
  expires_at: dateTime
    .transform(value => new Date(value))
    .nullish()
    .meta({
      description: "When it stops working; as the caller's own token when left out or null.",
      example: '2099-12-31T00:00:00Z',
    }),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).nullish().meta({
    description: "What it may do; as the caller's own token when left out or null, but without `admin`.",
  }),
})
export type CreateToken = z.infer<typeof CreateToken>

export const RenameToken = z.object({ id: uuid('Token id.'), name: CreateToken.shape.name })
export type RenameToken = z.infer<typeof RenameToken>

export const RevokeToken = z.object({
  id: uuid('Token id.'),
  cascade: flagParameter.meta({
    description: 'Whether all tokens that were made through it are revoked, too; in the query or the body.',
  }),
})
export type RevokeToken = z.infer<typeof RevokeToken>
