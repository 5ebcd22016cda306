import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import type { Failure } from '../../api/failure.ts'
import { useText } from '../../text/text.tsx'
import { useFailureText } from '../states.tsx'
import { Button } from './button.tsx'
import css from './form.module.css'

interface Props {
  /** Receives the values of the fields by their names. */
  onSend(values: Record<string, string>): void
  send: string
  isSending?: boolean
  failure?: Failure | undefined
  /** What is wrong, in other words than those of the failure. */
  problem?: string | undefined
  /** Fields that show their own messages: what is wrong with one of them is not said a second time. */
  shows?: readonly string[]
  kind?: 'main' | 'danger'
  /** Further buttons beside the main one. */
  others?: ReactNode
  children?: ReactNode
  label?: string
}

/** A form with its button, and what is wrong with it as a whole. What is wrong with a field stands at the field. */
export function Form(props: Props) {
  const { onSend, send, isSending, failure, kind = 'main', others, children, label } = props
  const form = useRef<HTMLFormElement>(null)
  const problem = useProblem(props)
  useEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failure])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    if (!isSending) onSend(values)
  }
  // Nothing is ever sent by the browser itself: a password must not become part of an address.
  return (
    <form ref={form} method="post" className={css.form} onSubmit={submit} aria-label={label}>
      {children}
      {problem !== undefined && (
        <p className={css.failure} role="alert">
          {problem}
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

function useProblem({ failure, problem, shows = [] }: Props): string | undefined {
  const { states } = useText().common
  const textOf = useFailureText()
  if (problem !== undefined || !failure) return problem
  if (shows.some(name => failure.fields[name])) return undefined
  return failure.kind === 'too_slow' ? states.busy : textOf(failure)
}
