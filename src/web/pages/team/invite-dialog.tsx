import { useState } from 'react'
import { api, inTeam } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import type { Inputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import { RoleFields } from './role-fields.tsx'
import { isManager, type Role, rolesToGive, type TeamProps } from './roles.ts'
import type { Opened } from './shown-link.tsx'
import { invitationsOf } from './team-reads.ts'

interface Props extends TeamProps {
  onDone(opened: Opened): void
  onClose(): void
}

/** Invites an e-mail address to the team. */
export function InviteDialog({ team, onDone, onClose }: Props) {
  const { team: text } = useText()
  const [role, setRole] = useState<Role>('member')
  const [siteIds, setSiteIds] = useState<string[] | null>(null)
  const create = useChange(
    (input: Inputs['invitations']['create']) =>
      api.invitations.create.mutate(input, { context: inTeam(team.id) }),
    [invitationsOf(team.id)],
  )
  const { failure } = create
  const send = async ({ email = '' }: Record<string, string>) => {
    const made = await create.send({ email, role, site_ids: isManager(role) ? null : siteIds })
    if (made) onDone(made)
  }
  return (
    <Dialog open title={text.invite} onClose={onClose}>
      <Form
        send={text.invite}
        onSend={send}
        isSending={create.isSending}
        failure={failure}
        problem={messagesAt(failure, 'site_ids')?.join(' · ')}
        shows={['email']}
      >
        <TextField
          label={text.email}
          name="email"
          type="email"
          required
          maxLength={255}
          errors={messagesAt(failure, 'email')}
        />
        <RoleFields
          label={text.role}
          teamId={team.id}
          roles={rolesToGive(team.role)}
          {...{ role, setRole, siteIds, setSiteIds }}
        />
      </Form>
    </Dialog>
  )
}
