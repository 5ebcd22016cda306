import type { ReactNode } from 'react'
import type { Change } from '../../api/use-change.ts'
import { Editor } from '../../parts/editor.tsx'
import { PasswordField } from '../../parts/form/field.tsx'
import { addressOf } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import css from './person.module.css'
import { usePerson } from './person.tsx'
import { useMethods } from './signing.ts'

/**
 * Asks for the password of the person, named `password`, before a change that needs a proof. A login without one needs a recent sign-in
 * instead.
 */
export function ProofField({ name = 'password' }: { name?: string }) {
  const { account } = useText()
  const { has_password } = usePerson()
  const methods = useMethods()
  if (has_password && methods.data?.password !== false) {
    return <PasswordField name={name} label={account.yourPassword} autoComplete="current-password" />
  }
  const address = new URL(addressOf('/login'))
  address.searchParams.set('return_to', `/${location.href.slice(document.baseURI.length)}`)
  return (
    <p className={css.note}>
      {account.recentSignIn} <a href={address.href}>{account.signInAgain}</a>
    </p>
  )
}

interface Props<Output> {
  title: string
  send: string
  kind?: 'main' | 'danger'
  /** Gets the password, for a login that has one. */
  change: Change<string | undefined, Output>
  onDone(output: Output): void
  onClose(): void
  children?: ReactNode
}

/** Asks for a proof before something is changed, and says what will happen. */
export function ProofDialog<Output>({ children, ...rest }: Props<Output>) {
  return (
    <Editor {...rest} inputOf={({ password }) => password}>
      {children}
      <ProofField />
    </Editor>
  )
}
