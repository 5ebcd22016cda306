import { type ComponentProps, useState } from 'react'
import { useText } from '../../text/text.tsx'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'
import css from './password-field.module.css'

/** A field for a password, which can be shown. */
export function PasswordField(props: Omit<ComponentProps<typeof TextField>, 'type'>) {
  const { actions } = useText().common
  const [isShown, setShown] = useState(false)
  const action = isShown ? actions.hide : actions.show
  return (
    <div className={css.password}>
      <TextField name="password" required {...props} type={isShown ? 'text' : 'password'} />
      <Button
        kind="quiet"
        className={css.toggle}
        aria-label={`${action}: ${props.label}`}
        onClick={() => setShown(!isShown)}
      >
        {action}
      </Button>
    </div>
  )
}
