import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Inputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { Form } from '../../parts/form/form.tsx'
import { PasswordField } from '../../parts/form/password-field.tsx'
import { useText } from '../../text/text.tsx'
import { focusFirst } from './auth-page.tsx'
import { CodeField, EmailField } from './fields.tsx'
import { useProblem } from './problem.ts'

/** E-mail address and password; the code of the second factor is asked for when the login has one. */
export function LoginForm({ onDone }: { onDone(): void }) {
  const { auth } = useText()
  const problemOf = useProblem()
  const [needsCode, setNeedsCode] = useState(false)
  const signIn = useChange((input: Inputs['auth']['login']) => api.auth.login.mutate(input))
  const { failure } = signIn
  const isAsked = failure?.code === 'second_factor_required'
  if (isAsked && !needsCode) setNeedsCode(true)
  const send = async ({ email = '', password = '', code = '' }: Record<string, string>) => {
    if (await signIn.send({ email, password, ...(code !== '' && { code }) })) onDone()
  }
  const problem = failure?.code === 'unauthenticated' ? auth.wrong : problemOf(failure)
  return (
    <div ref={focusFirst}>
      <Form
        label={auth.signIn}
        send={auth.signIn}
        onSend={send}
        isSending={signIn.isSending}
        problem={isAsked ? undefined : problem}
      >
        <EmailField />
        <PasswordField label={auth.password} autoComplete="current-password" />
        {needsCode && (
          <div ref={focusFirst}>
            <CodeField />
          </div>
        )}
      </Form>
    </div>
  )
}
