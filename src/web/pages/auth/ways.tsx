import { type ReactNode, useState } from 'react'
import { api, type Inputs } from '../../api/client.ts'
import { canUsePasskeys, signInWithPasskey } from '../../api/passkeys.ts'
import { type Change, useChange } from '../../api/use-change.ts'
import type { Methods } from '../../app/person/signing.ts'
import { Button } from '../../parts/form/button.tsx'
import { PasswordField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Notice } from '../../parts/states.tsx'
import { addressOf } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import css from './auth-page.module.css'
import { focusFirst, useProblem } from './auth-page.tsx'
import { CodeField, EmailField } from './fields.tsx'

/** Ways to sign in that are no form. */
export const Ways = ({ children }: { children: ReactNode }) => <div className={css.ways}>{children}</div>

interface PasskeyProps {
  /** What the passkey is used for: signing in unless given. */
  use?: () => Promise<unknown>
  onDone(): void
}

export function PasskeyButton({ use = signInWithPasskey, onDone }: PasskeyProps) {
  const { auth } = useText()
  const change = useChange(use)
  const send = async () => {
    if (await change.send()) onDone()
  }
  return <Way change={change} unknown={auth.passkeyUnused} label={auth.usePasskey} onUse={send} />
}

/**
 * Returns the address that begins single sign-on.
 * @param options.isAgain the provider asks the person again, also when they are signed in there
 */
export function ssoAddress(returnTo: string, { isAgain = false }: { isAgain?: boolean } = {}): string {
  const address = new URL(addressOf('/api/auth/oidc/start'))
  if (returnTo !== '/') address.searchParams.set('return_to', returnTo)
  if (isAgain) address.searchParams.set('again', 'true')
  return address.href
}

export const offersPasskeys = (methods: Methods): boolean => methods.passkeys && canUsePasskeys()

/**
 * Begins single sign-on with the link that the person has opened: the secret of the link must not stand in the address, so it is no plain
 * link.
 */
export function SsoButton({ name, secret }: { name: string; secret: string }) {
  const { auth } = useText()
  const [isLeaving, setLeaving] = useState(false)
  const start = useChange((link: string) => api.identities.start.mutate({ link }))
  const begin = async () => {
    const started = await start.send(secret)
    if (!started) return
    setLeaving(true)
    location.assign(started.url)
  }
  return <Way change={start} isBusy={isLeaving} label={auth.continueWith(name)} onUse={begin} />
}

interface WayProps {
  change: Change<never, unknown>
  label: string
  /** Said of a failure that is not of the service. */
  unknown?: string
  isBusy?: boolean
  onUse(): void
}

function Way({ change, label, unknown, isBusy, onUse }: WayProps) {
  const problemOf = useProblem()
  const { failure } = change
  const problem = failure?.kind === 'unknown' && unknown ? unknown : problemOf(failure)
  return (
    <>
      {problem !== undefined && <Notice isProblem>{problem}</Notice>}
      <Button isBusy={change.isSending || isBusy === true} onClick={onUse}>
        {label}
      </Button>
    </>
  )
}

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
