import { useEffect } from 'react'
import { api, type Inputs, type Outputs } from '../../api/client.ts'
import { canUsePasskeys, proveWithPasskey } from '../../api/passkeys.ts'
import { endQuestion } from '../../api/session.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { CodeField } from '../../pages/auth/fields.tsx'
import { PasskeyButton, ssoAddress, Ways } from '../../pages/auth/ways.tsx'
import { PasswordField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { Answer } from '../../parts/states.tsx'
import { addressOf } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import css from './person.module.css'
import { useMethods } from './signing.ts'

type State = Outputs['account']['proof']

/** Asks the person who they are before a change that lets others in; the change is sent as soon as they have proved it. */
export default function ProveDialog({ loginId }: { loginId: string }) {
  const { auth } = useText()
  const state = useRead(['proof'], signal => api.account.proof.query(undefined, { signal }))
  useEffect(() => {
    // The person may have signed in again in another tab.
    const look = () => void goOnIfProven(loginId).catch(() => undefined)
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [loginId])
  return (
    <Dialog open title={auth.prove} onClose={() => endQuestion(false)}>
      <p className={css.lead}>{auth.proveHint}</p>
      <Answer read={state}>{read => <Proofs state={read} />}</Answer>
    </Dialog>
  )
}

async function goOnIfProven(loginId: string): Promise<void> {
  const [{ id }, { counts_until }] = await Promise.all([api.account.get.query(), api.account.proof.query()])
  if (id !== loginId) location.reload()
  else if (new Date(counts_until) > new Date()) endQuestion(true)
}

function Proofs({ state: { password, second_factor, passkey } }: { state: State }) {
  const { auth } = useText()
  const sso = useMethods().data?.single_sign_on
  const done = () => endQuestion(true)
  const hasPasskey = passkey && canUsePasskeys()
  const other = sso
    ? { address: ssoAddress('/login#proven', { isAgain: true }), label: auth.proveWith(sso.name) }
    : { address: addressOf('/login'), label: auth.otherTab }
  return (
    <>
      {password && <PasswordProof needsCode={second_factor} onDone={done} />}
      <Ways>
        {hasPasskey && <PasskeyButton use={proveWithPasskey} onDone={done} />}
        {(sso || (!password && !hasPasskey)) && (
          <a href={other.address} target="_blank" rel="noreferrer">
            {other.label}
          </a>
        )}
      </Ways>
    </>
  )
}

function PasswordProof({ needsCode, onDone }: { needsCode: boolean; onDone(): void }) {
  const { account, auth } = useText()
  const prove = useChange((input: Inputs['account']['prove']) => api.account.prove.mutate(input))
  const { failure } = prove
  const send = async ({ password = '', code = '' }: Record<string, string>) => {
    if (await prove.send({ password, ...(code !== '' && { code }) })) onDone()
  }
  return (
    <Form
      label={auth.prove}
      send={account.goOn}
      onSend={send}
      isSending={prove.isSending}
      failure={failure}
      problem={failure?.code === 'forbidden' ? auth.wrongProof : undefined}
    >
      <PasswordField label={account.yourPassword} autoComplete="current-password" />
      {needsCode && <CodeField />}
    </Form>
  )
}
