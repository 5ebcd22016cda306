import { useState } from 'react'
import { api, inTeam } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import type { Inputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON } from '../../app/person/person.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import { RoleFields } from './role-fields.tsx'
import { isManager, rolesToGive, type TeamProps } from './roles.ts'
import { type User, usersOf } from './team-reads.ts'

interface Props extends TeamProps {
  user: User
  onClose(): void
}

/** Changes the role of a person, and the sites that they are limited to. */
export function ChangeUser({ team, user, onClose }: Props) {
  const { team: text, common } = useText()
  const [role, setRole] = useState(user.role)
  const [siteIds, setSiteIds] = useState(user.site_ids ?? null)
  const change = useChange(
    (input: Inputs['users']['change']) => api.users.change.mutate(input, { context: inTeam(team.id) }),
    [usersOf(team.id), PERSON],
  )
  const send = async () => {
    const changed = await change.send({ id: user.id, role, site_ids: isManager(role) ? null : siteIds })
    if (changed) onClose()
  }
  return (
    <Dialog open title={user.name ?? user.email} onClose={onClose}>
      <Form
        send={common.actions.save}
        onSend={send}
        isSending={change.isSending}
        failure={change.failure}
        problem={messagesAt(change.failure, 'site_ids')?.join(' · ')}
      >
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
