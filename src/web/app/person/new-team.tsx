import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import { PERSON } from './person.tsx'
import { switchTeam } from './team-switcher.tsx'

/** Makes a team, and acts in it. */
export function NewTeam() {
  const { team } = useText()
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const create = useChange((name: string) => api.teams.create.mutate({ name }), [PERSON])
  const send = async ({ name = '' }: Record<string, string>) => {
    const made = await create.send(name)
    if (!made) return
    switchTeam(made.id)
    setOpen(false)
    navigate('/team')
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>{team.newTeam}</Button>
      <Dialog open={isOpen} title={team.newTeam} onClose={() => setOpen(false)}>
        <Form
          send={team.create}
          onSend={send}
          isSending={create.isSending}
          failure={create.failure}
          shows={['name']}
        >
          <TextField
            label={team.name}
            hint={team.newTeamHint}
            name="name"
            required
            maxLength={255}
            errors={messagesAt(create.failure, 'name')}
          />
        </Form>
      </Dialog>
    </>
  )
}
