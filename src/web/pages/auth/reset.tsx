import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import type { Inputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { Form } from '../../parts/form/form.tsx'
import { useHash } from '../../state/hash.ts'
import { leadTo } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import { AuthPage, focusFirst } from './auth-page.tsx'
import { EmailField, NewPasswordField } from './fields.tsx'
import { type LinkInfo, OpenedLink, WaysWithLink } from './link.tsx'
import { useProblem } from './problem.ts'
import { RequestReset } from './request-reset.tsx'

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
  const reset = useChange(async (input: Inputs['auth']['reset']) => {
    await api.auth.reset.mutate(input)
    return true
  })
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
        problem={failure?.fields.password ? undefined : problemOf(failure)}
        shows={['password']}
      >
        <EmailField readOnly defaultValue={link.email} />
        <NewPasswordField failure={failure} />
      </Form>
    </div>
  )
}
