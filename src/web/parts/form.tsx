import type { FormEvent, ReactNode } from 'react'
import type { Failure } from '../api/failure.ts'
import { Button } from './button.tsx'
import css from './form.module.css'
import { useFailureText } from './states.tsx'

interface Props {
  /** Receives the values of the fields by their names. */
  onSend(values: Record<string, string>): void
  send: string
  isSending?: boolean
  failure?: Failure | undefined
  kind?: 'main' | 'danger'
  /** Further buttons beside the main one. */
  others?: ReactNode
  children: ReactNode
  label?: string
}

/** A form with its button, and what is wrong with it as a whole. What is wrong with a field stands at the field. */
export function Form({ onSend, send, isSending, failure, kind = 'main', others, children, label }: Props) {
  const textOf = useFailureText()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    if (!isSending) onSend(values)
  }
  return (
    <form className={css.form} onSubmit={submit} aria-label={label}>
      {children}
      {failure && (
        <p className={css.failure} role="alert">
          {textOf(failure)}
        </p>
      )}
      <div className={css.buttons}>
        <Button type="submit" kind={kind} isBusy={isSending}>
          {send}
        </Button>
        {others}
      </div>
    </form>
  )
}
