import { useState } from 'react'
import { Link } from 'wouter'
import { api, type Inputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { type Methods, useMethods } from '../../app/person/signing.ts'
import { Form } from '../../parts/form/form.tsx'
import { Answer, Notice } from '../../parts/states.tsx'
import { leadTo, useHash } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import { AuthPage, focusFirst, useProblem } from './auth-page.tsx'
import { EmailField, NewPasswordField } from './fields.tsx'
import { type LinkInfo, OpenedLink, ToLogin, WaysWithLink } from './link.tsx'

/** A new password: without a link it asks for one. */
export default function Reset() {
  const secret = useHash()
  return secret === '' ? <RequestReset /> : <WithLink key={secret} secret={secret} />
}

function WithLink({ secret }: { secret: string }) {
  const { auth } = useText()
  const wayOut = (
    <p>
      <Link href="/reset">{auth.newLink}</Link>
    </p>
  )
  return (
    <OpenedLink secret={secret} title={auth.choosePassword} page="/reset" wayOut={wayOut}>
      {(link, methods) =>
        // Only a link of the operator also lets a person in with single sign-on.
        link.purpose === 'reset' ? (
          <AuthPage title={auth.choosePassword}>
            <ResetForm link={link} secret={secret} />
          </AuthPage>
        ) : (
          <AuthPage title={auth.recover} intro={auth.recoverIntro}>
            <WaysWithLink methods={methods} secret={secret}>
              <ResetForm link={link} secret={secret} />
            </WaysWithLink>
          </AuthPage>
        )
      }
    </OpenedLink>
  )
}

function ResetForm({ link, secret }: { link: LinkInfo; secret: string }) {
  const { auth } = useText()
  const problemOf = useProblem()
  const reset = useChange((input: Inputs['auth']['reset']) => api.auth.reset.mutate(input))
  const { failure } = reset
  const send = async ({ password = '' }: Record<string, string>) => {
    if (await reset.send({ secret, password })) leadTo('/login#reset')
  }
  return (
    <div ref={focusFirst}>
      <Form
        send={auth.changePassword}
        onSend={send}
        isSending={reset.isSending}
        failure={failure}
        problem={problemOf(failure)}
      >
        <EmailField readOnly defaultValue={link.email} />
        <NewPasswordField />
      </Form>
    </div>
  )
}

/** Asks for a link for a new password. Whether a login has the address stays secret. */
function RequestReset() {
  const { auth } = useText()
  const methods = useMethods()
  const [sentTo, setSentTo] = useState<string>()
  return (
    <AuthPage title={sentTo === undefined ? auth.newPassword : auth.lookIntoMail}>
      {sentTo === undefined ? (
        <Answer read={methods}>{offered => <Request methods={offered} onSent={setSentTo} />}</Answer>
      ) : (
        <Notice>{auth.linkSent(sentTo)}</Notice>
      )}
      <ToLogin />
    </AuthPage>
  )
}

function Request({ methods, onSent }: { methods: Methods; onSent(email: string): void }) {
  const { auth } = useText()
  const problemOf = useProblem()
  const request = useChange((email: string) => api.auth.requestReset.mutate({ email }))
  if (!methods.password) return <Notice isProblem>{auth.noPasswords}</Notice>
  if (!methods.has_mail) return <Notice isProblem>{auth.noMail}</Notice>
  const { failure } = request
  const send = async ({ email = '' }: Record<string, string>) => {
    if (await request.send(email)) onSent(email)
  }
  return (
    <div ref={focusFirst}>
      <Form
        send={auth.sendLink}
        onSend={send}
        isSending={request.isSending}
        failure={failure}
        problem={problemOf(failure)}
      >
        <EmailField />
      </Form>
    </div>
  )
}
