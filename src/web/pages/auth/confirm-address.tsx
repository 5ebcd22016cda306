import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { ButtonLink } from '../../parts/form/button.tsx'
import { Form } from '../../parts/form/form.tsx'
import { plainText } from '../../parts/hostile-text.tsx'
import { Notice } from '../../parts/states.tsx'
import { addressOf, useHash } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import { AuthPage, useProblem } from './auth-page.tsx'
import { OpenedLink } from './link.tsx'

/** A new address of a login. Nothing happens before the button is pressed: scanners of mails open links. */
export default function ConfirmAddress() {
  const secret = useHash()
  const { auth } = useText()
  return (
    <OpenedLink key={secret} secret={secret} title={auth.confirmAddress} page="/confirm-address">
      {({ email }) => <Decision email={email} secret={secret} />}
    </OpenedLink>
  )
}

function Decision({ email, secret }: { email: string; secret: string }) {
  const { account, auth } = useText()
  const problemOf = useProblem()
  const [isDone, setDone] = useState(false)
  const confirm = useChange(() => api.auth.confirmAddress.mutate({ secret }))
  const address = plainText(email)
  const send = async () => {
    if (await confirm.send()) setDone(true)
  }
  if (isDone) {
    return (
      <AuthPage title={auth.confirmAddress}>
        <Notice>{auth.addressConfirmed(address)}</Notice>
        <ButtonLink href={addressOf('/account')}>{account.title}</ButtonLink>
      </AuthPage>
    )
  }
  return (
    <AuthPage title={auth.confirmAddress} intro={auth.confirmAddressIntro(address)}>
      <Form
        send={auth.confirmSend}
        isSending={confirm.isSending}
        failure={confirm.failure}
        problem={problemOf(confirm.failure)}
        onSend={send}
      />
    </AuthPage>
  )
}
