import { z } from 'zod'
import { flag, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { EmailAddress, personName } from '../accounts/account-schema.ts'
import { NewPassword } from '../accounts/passwords.ts'
import { roleField, siteLimit, siteLimitOf } from './user-schema.ts'

/** One address that a mail program reads as one: no list, no name, no comment. */
const invitedAddress = EmailAddress.refine(
  value => !/[<>()[\],;:\\"]/.test(value),
  'must be one e-mail address, without a name',
).meta({ description: 'E-mail address of who is invited.', example: 'grace@example.com' })

export const CreateInvitation = z.object({
  email: invitedAddress,
  role: roleField,
  site_ids: siteLimit,
})
export type CreateInvitation = z.infer<typeof CreateInvitation>

const fields = {
  id: uuid('Invitation id.'),
  email: label('E-mail address of who is invited.', 'grace@example.com'),
  role: roleField,
  site_ids: siteLimitOf('The sites the user will be limited to; null for every site.'),
  invited_by: label('Name or e-mail address of who invited, as it was then.', 'Ada'),
  expires_at: timestamp('When the link stops working.'),
  created_at: timestamp('When the invitation was made.'),
}

export const Invitation = z.object(fields).meta({ id: 'Invitation' })
export type Invitation = z.infer<typeof Invitation>
export const InvitationList = z.array(Invitation)

/** An invitation with its link. */
export const OpenInvitation = z
  .object({
    ...fields,
    url: label(
      'The link to give to the person, shown for the only time; null for a token.',
      'https://analytics.example.com/invite#4fJ0pXyYb2N8sQeT6uVhKzR1mWcLgD3aG7kZQxTn0cE',
    ).nullable(),
    mailed: flag(
      'Whether the mail server has taken a mail with the link. If not, give the link to the person yourself; after a token, make a new ' +
        'one in the browser.',
    ),
  })
  .meta({ id: 'OpenInvitation' })
export type OpenInvitation = z.infer<typeof OpenInvitation>

const secretField = z.string().max(1_000).meta({
  description: 'What stands after `#` in the link.',
  example: '4fJ0pXyYb2N8sQeT6uVhKzR1mWcLgD3aG7kZQxTn0cE',
})

export const LookUpInvitation = z.object({ secret: secretField })

export const FoundInvitation = z
  .object({
    team_name: label('Name of the team.', 'Acme'),
    email: fields.email,
    role: roleField,
    invited_by: fields.invited_by,
    expires_at: fields.expires_at,
    needs_login: flag('Whether a login with that address exists: sign in with it, then accept.'),
  })
  .meta({ id: 'FoundInvitation' })
export type FoundInvitation = z.infer<typeof FoundInvitation>

export const AcceptInvitation = z.object({
  secret: secretField,
  name: personName.nullish().meta({ description: 'Your name, for a new login; null or empty for none.' }),
  password: NewPassword.nullish(),
})
export type AcceptInvitation = z.infer<typeof AcceptInvitation>

export const JoinedTeam = z
  .object({
    team_id: uuid('Id of the team that you joined.'),
    team_name: label('Its name.', 'Acme'),
    user_id: uuid('Id of your user in it.'),
    role: roleField,
  })
  .meta({ id: 'JoinedTeam' })
export type JoinedTeam = z.infer<typeof JoinedTeam>
