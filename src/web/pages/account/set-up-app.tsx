import { api } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import type { Inputs, Outputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON } from '../../app/person/person.tsx'
import { ProofField } from '../../app/person/proof.tsx'
import { CopyButton } from '../../parts/form/copy-button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'
import { QrCode } from './qr-code.tsx'

type Added = Outputs['account']['addTotp']

interface Props {
  proposed: Outputs['account']['proposeTotp']
  onDone(added: Added): void
  onClose(): void
}

/** Gives the secret to an authenticator app, and takes its first code. */
export function SetUpApp({ proposed, onDone, onClose }: Props) {
  const { account } = useText()
  return (
    <Dialog open title={account.setUpApp} onClose={onClose}>
      <Enter {...proposed} onDone={onDone} />
    </Dialog>
  )
}

function Enter({ secret, uri, onDone }: Props['proposed'] & Pick<Props, 'onDone'>) {
  const { account } = useText()
  const add = useChange((input: Inputs['account']['addTotp']) => api.account.addTotp.mutate(input), [PERSON])
  const send = async ({ code = '', password }: Record<string, string>) => {
    const added = await add.send({ secret, code: code.replaceAll(' ', ''), password })
    if (added) onDone(added)
  }
  return (
    <div className={css.stack}>
      <p>{account.scan}</p>
      <QrCode text={uri} label={account.qrCode} />
      <div className={css.line}>
        <code className={css.secret}>{secret.match(/.{1,4}/g)?.join(' ')}</code>
        <CopyButton text={secret} />
        <a href={uri}>{account.openApp}</a>
      </div>
      <Form
        send={account.turnOn}
        onSend={send}
        isSending={add.isSending}
        failure={add.failure}
        shows={['code']}
      >
        <TextField
          label={account.code}
          hint={account.codeHint}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          maxLength={64}
          errors={messagesAt(add.failure, 'code')}
        />
        <ProofField />
      </Form>
    </div>
  )
}
