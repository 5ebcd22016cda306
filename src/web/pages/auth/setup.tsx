import { api, type Inputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Form } from '../../parts/form/form.tsx'
import { leadTo, useHash } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import { AuthPage, focusFirst, useProblem } from './auth-page.tsx'
import { EmailField, NameField, NewPasswordField } from './fields.tsx'
import { type LinkInfo, OpenedLink, WaysWithLink } from './link.tsx'

/** Making a login with the link of the operator. */
export default function Setup() {
  const { auth } = useText()
  const secret = useHash()
  return (
    <OpenedLink key={secret} secret={secret} title={auth.setUp} page="/setup">
      {(link, methods) => (
        <AuthPage title={auth.setUp} intro={auth.setUpIntro}>
          <WaysWithLink methods={methods} secret={secret}>
            <SetupForm link={link} secret={secret} />
          </WaysWithLink>
        </AuthPage>
      )}
    </OpenedLink>
  )
}

function SetupForm({ link, secret }: { link: LinkInfo; secret: string }) {
  const { auth } = useText()
  const problemOf = useProblem()
  const setUp = useChange((input: Inputs['auth']['setup']) => api.auth.setup.mutate(input))
  const { failure } = setUp
  const send = async ({ email, name, password = '' }: Record<string, string>) => {
    if (await setUp.send({ secret, email, name, password })) leadTo('/')
  }
  return (
    <div ref={focusFirst}>
      <Form
        send={auth.setUpSend}
        onSend={send}
        isSending={setUp.isSending}
        failure={failure}
        problem={problemOf(failure)}
      >
        <EmailField {...(link.may_change_email ? {} : { readOnly: true, defaultValue: link.email })} />
        <NameField />
        <NewPasswordField />
      </Form>
    </div>
  )
}
