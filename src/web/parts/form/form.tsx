import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { type Failure, messagesAt } from '../../api/failure.ts'
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
  kind?: 'main' | 'danger'
  /** Further buttons beside the main one. */
  others?: ReactNode
  children?: ReactNode
  label?: string | undefined
}

interface FormState {
  failure: Failure | undefined
  /** Names of the fields that show what is wrong with them. */
  fields: Set<string>
}

const FormContext = createContext<FormState | undefined>(undefined)

/**
 * A form with its button, and what is wrong with it as a whole. What is wrong with a field stands at the field, which finds it by its
 * name, and is not said a second time.
 *
 *     <Form send={actions.save} isSending={change.isSending} failure={change.failure} onSend={change.send}>
 *       <TextField name="domain" label={text.domain} required />
 *     </Form>
 */
export function Form({ onSend, send, isSending, failure, problem, kind = 'main', ...rest }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const state = useMemo(() => ({ failure, fields: new Set<string>() }), [failure])
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
    <form ref={form} method="post" className={css.form} onSubmit={submit} aria-label={rest.label}>
      <FormContext value={state}>
        {rest.children}
        <Problem problem={problem} />
      </FormContext>
      <div className={css.buttons}>
        <Button type="submit" kind={kind} isBusy={isSending}>
          {send}
        </Button>
        {rest.others}
      </div>
    </form>
  )
}

/** Stands behind the fields: it is drawn after all of them. */
function Problem({ problem }: Pick<Props, 'problem'>) {
  const { failure, fields } = useContext(FormContext)!
  const { states } = useText().common
  const textOf = useFailureText()
  const isSaid = Object.keys(failure?.fields ?? {}).some(name => fields.has(name.split('.')[0]!))
  if (isSaid || (problem === undefined && !failure)) return null
  return (
    <p className={css.failure} role="alert">
      {problem ?? (failure!.kind === 'too_slow' ? states.busy : textOf(failure!))}
    </p>
  )
}

/** Returns what the service said about a field of the form, or about one of its lines: `emails` has also `emails.0`. */
export function useFieldErrors(name: string | undefined): string[] | undefined {
  const state = useContext(FormContext)
  if (!state || name === undefined) return undefined
  state.fields.add(name)
  const { failure } = state
  const found = Object.keys(failure?.fields ?? {}).filter(each => each.split('.')[0] === name)
  return found.length === 0 ? undefined : found.flatMap(each => messagesAt(failure, each) ?? [])
}
