import type { ComponentProps } from 'react'
import { PasswordField, TextField } from '../../parts/form/field.tsx'
import { useText } from '../../text/text.tsx'

export function EmailField(props: Partial<ComponentProps<typeof TextField>>) {
  const { auth } = useText()
  return (
    <TextField
      label={auth.email}
      name="email"
      type="email"
      autoComplete="username"
      required
      maxLength={255}
      {...props}
    />
  )
}

/** A code of the second factor. */
export function CodeField() {
  const { auth } = useText()
  return (
    <TextField
      label={auth.code}
      hint={auth.codeHint}
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={64}
      required
    />
  )
}

export function NameField() {
  const { auth } = useText()
  return <TextField label={auth.name} name="name" autoComplete="name" maxLength={100} />
}

/** A password as it is chosen, with its rules. */
export function NewPasswordField() {
  const { auth } = useText()
  return (
    <PasswordField
      label={auth.password}
      hint={auth.passwordHint}
      autoComplete="new-password"
      minLength={10}
    />
  )
}
