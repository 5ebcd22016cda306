import { api, inTeam } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import type { TeamProps } from './roles.ts'
import { type Token, tokensOf } from './team-reads.ts'

export function RenameToken({ team, token, onClose }: TeamProps & { token: Token; onClose(): void }) {
  const { team: text, common } = useText()
  const rename = useChange(
    (name: string) => api.tokens.rename.mutate({ id: token.id, name }, { context: inTeam(team.id) }),
    [tokensOf(team.id)],
  )
  const send = async ({ name = '' }: Record<string, string>) => {
    if (await rename.send(name)) onClose()
  }
  return (
    <Dialog open title={text.rename} onClose={onClose}>
      <Form
        send={common.actions.save}
        onSend={send}
        isSending={rename.isSending}
        failure={rename.failure}
        shows={['name']}
      >
        <TextField
          label={text.tokenName}
          name="name"
          required
          maxLength={255}
          defaultValue={token.name}
          errors={messagesAt(rename.failure, 'name')}
        />
      </Form>
    </Dialog>
  )
}
