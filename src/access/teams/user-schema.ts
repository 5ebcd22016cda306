import { z } from 'zod'
import { flag, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { ROLES } from './caller.ts'

const siteIdList = z.array(z.string().meta({ format: 'uuid' })).nullable()

export const roleField = z.enum(ROLES).meta({ description: 'What the user may do.', example: 'member' })

/** Sites that a member or viewer is limited to, as an input. */
export const siteLimit = z.array(z.guid()).min(1).max(1_000).nullish().meta({
  description: 'Sites that a member or viewer is limited to; null for every site of the team.',
  example: null,
})

export const siteLimitOf = (description: string) => siteIdList.meta({ description, example: null })

export const TeamUser = z
  .object({
    id: uuid('User id.'),
    email: label('E-mail address.', 'ada@example.com'),
    name: label('Name of the person; null without one.', 'Ada').nullable(),
    role: roleField,
    has_login: flag('Whether the person has set up their login.', true),
    joined_at: timestamp('When the user joined the team.'),
    site_ids: siteLimitOf(
      'The sites the user is limited to; null for every site. Only for owners and admins, and of oneself.',
    ).optional(),
    last_login_at: timestamp(
      'When the person last signed in; null for never. Only for owners and admins, and of oneself.',
    )
      .nullable()
      .optional(),
  })
  .meta({ id: 'User' })
export type TeamUser = z.infer<typeof TeamUser>

export const UserList = z.array(TeamUser)

const userId = z.string().meta({ format: 'uuid', description: 'User id.' })

/** What is left out stays as it is. Owners and admins reach every site, so becoming one ends a limit. */
export const ChangeUser = z.object({
  id: userId,
  role: roleField.optional(),
  site_ids: siteLimit,
})
export type ChangeUser = z.infer<typeof ChangeUser>

export const RemoveUser = z.object({ id: userId })

/** The password of who asks, where their login has one. */
export const ownPassword = z.string().max(1_000).optional().meta({
  description:
    'Your password. A login without one needs a sign-in that is at most 15 minutes old, and leaves it out.',
  example: 'correct horse battery staple',
})

export const TransferTeam = z.object({ id: userId, password: ownPassword })
export type TransferTeam = z.infer<typeof TransferTeam>
