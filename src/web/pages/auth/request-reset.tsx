import { useState } from 'react'
import { api } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import { type Methods, useMethods } from '../../app/person/methods.ts'
import { Answer } from '../../parts/answer.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useText } from '../../text/text.tsx'
import { AuthPage, focusFirst } from './auth-page.tsx'
import { EmailField } from './fields.tsx'
import { ToLogin } from './link.tsx'
import { useProblem } from './problem.ts'

/** Asks for a link for a new password. Whether a login has the address stays secret. */
export function RequestReset() {
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
  const request = useChange(async (email: string) => {
    await api.auth.requestReset.mutate({ email })
    return true
  })
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
        problem={failure?.fields.email ? undefined : problemOf(failure)}
        shows={['email']}
      >
        <EmailField errors={messagesAt(failure, 'email')} />
      </Form>
    </div>
  )
}
