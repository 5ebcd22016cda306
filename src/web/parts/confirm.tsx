import { type ReactNode, useState } from 'react'
import type { Change } from '../api/use-change.ts'
import { useText } from '../text/text.tsx'
import css from './confirm.module.css'
import { Button } from './form/button.tsx'
import { TextField } from './form/field.tsx'
import { Dialog } from './overlay/dialog.tsx'
import { useFailureText } from './states.tsx'

interface Props<Output> {
  title: string
  /** What the button says, such as `Delete`; the title by default. */
  confirm?: string
  change: Change<void, Output>
  /** What comes after the change; by default the question is closed. */
  onDone?(output: Output): void
  onClose(): void
  /** What a person has to type before, for what cannot be undone. */
  typed?: { label: string; text: string }
  children: ReactNode
}

/**
 * Asks before something is done that cannot be undone.
 *
 *     {isAsked && (
 *       <Confirm title={text.deleteSite} change={remove} onDone={leave} onClose={close}>
 *         <p>{text.deleteSiteQuestion}</p>
 *       </Confirm>
 *     )}
 */
export function Confirm<Output>(props: Props<Output>) {
  const { title, confirm = title, change, onClose, onDone = onClose, typed, children } = props
  const { common } = useText()
  const textOf = useFailureText()
  const [given, setGiven] = useState('')
  const isTyped = typed === undefined || given.trim().toLowerCase() === typed.text.toLowerCase()
  const send = async () => {
    const output = await change.send()
    if (output !== undefined) onDone(output)
  }
  return (
    <Dialog open title={title} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={event => {
          event.preventDefault()
          if (isTyped && !change.isSending) void send()
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
        {change.failure && (
          <p role="alert" className={css.failure}>
            {textOf(change.failure)}
          </p>
        )}
        <div className={css.buttons}>
          <Button
            type="submit"
            kind="danger"
            disabled={!isTyped || change.isSending}
            aria-busy={change.isSending}
          >
            {confirm}
          </Button>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
        </div>
      </form>
    </Dialog>
  )
}
