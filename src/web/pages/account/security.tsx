import { useState } from 'react'
import { api, type Inputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON, usePerson } from '../../app/person/person.tsx'
import { ProofField } from '../../app/person/proof.tsx'
import { useMethods } from '../../app/person/signing.ts'
import { Card } from '../../parts/card.tsx'
import { PasswordField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Answer, Notice } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'
import { Identities } from './identities.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'

/** Ways to sign in; the service may offer only some of them. */
export function Security() {
  const methods = useMethods()
  return (
    <Answer read={methods}>
      {offered => (
        <div className={css.stack}>
          {offered.password && <Password />}
          {offered.password && <SecondFactor />}
          <Passkeys isOffered={offered.passkeys} />
          <Identities sso={offered.single_sign_on} />
        </div>
      )}
    </Answer>
  )
}

function Password() {
  const { account, auth } = useText()
  const { has_password } = usePerson()
  const [changes, setChanges] = useState(0)
  const change = useChange(
    (input: Inputs['account']['changePassword']) => api.account.changePassword.mutate(input),
    [PERSON, ['devices']],
  )
  const send = async ({ password = '', current_password }: Record<string, string>) => {
    if (await change.send({ password, current_password })) setChanges(changes + 1)
  }
  return (
    <Card title={has_password ? account.changePassword : account.addPassword} note={account.passwordNote}>
      <div className={css.narrow}>
        <Form
          // A new form after each change: its fields are empty.
          key={changes}
          label={account.changePassword}
          send={has_password ? account.changePassword : account.addPassword}
          onSend={send}
          isSending={change.isSending}
          failure={change.failure}
        >
          <ProofField name="current_password" />
          <PasswordField
            label={account.newPassword}
            hint={auth.passwordHint}
            autoComplete="new-password"
            minLength={10}
          />
        </Form>
        {changes > 0 && !change.failure && <Notice>{account.passwordChanged}</Notice>}
      </div>
    </Card>
  )
}
