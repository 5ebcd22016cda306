import { type ReactNode, useState } from 'react'
import type { Failure } from '../api/failure.ts'
import { useText } from '../text/text.tsx'
import css from './confirm.module.css'
import { Button } from './form/button.tsx'
import { TextField } from './form/field.tsx'
import { Dialog } from './overlay/dialog.tsx'
import { useFailureText } from './states.tsx'

interface Props {
  title: string
  children: ReactNode
  /** What the button says, such as `Delete`. */
  confirm: string
  onConfirm(): void
  onClose(): void
  isSending?: boolean
  failure?: Failure | undefined
  /** What a person has to type before, for what cannot be undone. */
  typed?: { label: string; text: string }
  kind?: 'danger' | 'main'
}

/** Asks before something is done that cannot be undone. */
export function Confirm({
  title,
  children,
  confirm,
  onConfirm,
  onClose,
  typed,
  kind = 'danger',
  ...rest
}: Props) {
  const { common } = useText()
  const textOf = useFailureText()
  const [given, setGiven] = useState('')
  const isTyped = typed === undefined || given.trim().toLowerCase() === typed.text.toLowerCase()
  return (
    <Dialog open title={title} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={event => {
          event.preventDefault()
          if (isTyped && !rest.isSending) onConfirm()
        }}
      >
        <div>{children}</div>
        {typed && (
          <TextField
            name="typed"
            label={typed.label}
            value={given}
            onChange={event => setGiven(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        {rest.failure && (
          <p role="alert" className={css.failure}>
            {textOf(rest.failure)}
          </p>
        )}
        <div className={css.buttons}>
          <Button type="submit" kind={kind} disabled={!isTyped || rest.isSending} aria-busy={rest.isSending}>
            {confirm}
          </Button>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
        </div>
      </form>
    </Dialog>
  )
}
