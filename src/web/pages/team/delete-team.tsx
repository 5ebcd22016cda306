import { useLocation } from 'wouter'
import { api, inTeam } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import type { Inputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON } from '../../app/person/person.tsx'
import { ProofField } from '../../app/person/proof.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import type { TeamProps } from './roles.ts'

/** Deletes the team with all its sites, once its name has been typed. */
export function DeleteTeam({ team, onClose }: TeamProps & { onClose(): void }) {
  const { team: text } = useText()
  const [, navigate] = useLocation()
  const remove = useChange(
    (input: Inputs['team']['delete']) =>
      api.team.delete.mutate(input, { context: inTeam(team.id) }).then(() => true),
    [PERSON],
  )
  const send = async ({ name = '', password }: Record<string, string>) => {
    if (await remove.send({ name, password })) navigate('/')
  }
  return (
    <Dialog open title={text.deleteTeam} onClose={onClose}>
      <Form
        kind="danger"
        send={text.deleteTeam}
        onSend={send}
        isSending={remove.isSending}
        failure={remove.failure}
        shows={['name']}
      >
        <p>{text.deleteNote}</p>
        <TextField
          label={text.typeName(team.name)}
          name="name"
          required
          autoComplete="off"
          errors={messagesAt(remove.failure, 'name')}
        />
        <ProofField />
      </Form>
    </Dialog>
  )
}
