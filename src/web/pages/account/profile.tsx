import { useState } from 'react'
import { api, type Inputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON, usePerson } from '../../app/person/person.tsx'
import { ProofField } from '../../app/person/proof.tsx'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Notice } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'

/** Name and e-mail address. Another address needs a proof, and waits until it is confirmed. */
export function Profile() {
  const { account, common } = useText()
  const person = usePerson()
  const [email, setEmail] = useState(person.email)
  const [isSaved, setSaved] = useState(false)
  const change = useChange((input: Inputs['account']['change']) => api.account.change.mutate(input), [PERSON])
  const { failure } = change
  const isMoved = email.trim().toLowerCase() !== person.email
  const takeBack = () => {
    setSaved(false)
    void change.send({ email: person.email })
  }
  const send = async ({ name = '', password }: Record<string, string>) => {
    setSaved(false)
    const changed = await change.send({ name, ...(isMoved && { email, password }) })
    if (!changed) return
    setEmail(changed.email)
    setSaved(true)
  }
  return (
    <Card title={account.parts.profile}>
      <div className={css.narrow}>
        <Form send={common.actions.save} onSend={send} isSending={change.isSending} failure={failure}>
          <TextField
            label={account.name}
            hint={account.nameHint}
            name="name"
            autoComplete="name"
            maxLength={100}
            defaultValue={person.name ?? ''}
          />
          <TextField
            label={account.email}
            name="email"
            type="email"
            autoComplete="email"
            required
            maxLength={255}
            value={email}
            onChange={event => setEmail(event.currentTarget.value)}
          />
          {isMoved && <ProofField />}
        </Form>
        {person.pending_email !== null && (
          <>
            <Notice>{account.pendingEmail(person.pending_email)}</Notice>
            <div>
              <Button isBusy={change.isSending} onClick={takeBack}>
                {account.takeBack}
              </Button>
            </div>
          </>
        )}
        {isSaved && !change.isSending && !isMoved && <Notice>{account.saved}</Notice>}
      </div>
    </Card>
  )
}
