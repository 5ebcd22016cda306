import type { ReactNode } from 'react'
import type { Change } from '../api/use-change.ts'
import { useText } from '../text/text.tsx'
import { Form } from './form/form.tsx'
import { Dialog } from './overlay/dialog.tsx'

interface Props<Input, Output> {
  title: string
  /** What the button says; `Save` by default. */
  send?: string
  kind?: 'main' | 'danger'
  size?: 'narrow' | 'wide'
  change: Change<Input, Output>
  /** Returns what is sent, from the values of the fields by their names. */
  inputOf(values: Record<string, string>): Input
  /** What comes after the change; by default the dialog is closed. */
  onDone?(output: Output): void
  onClose(): void
  /** What is wrong, in other words than those of the failure. */
  problem?: string | undefined
  label?: string
  children: ReactNode
}

/**
 * A dialog with a form that changes something: it waits, says what is wrong, and closes when it is done.
 *
 *     <Editor title={text.rename} change={rename} inputOf={({ name = '' }) => name} onClose={onClose}>
 *       <TextField name="name" label={text.tokenName} defaultValue={token.name} required />
 *     </Editor>
 */
export function Editor<Input, Output>(props: Props<Input, Output>) {
  const { title, send, kind = 'main', size = 'narrow', change, inputOf, onClose, onDone = onClose } = props
  const { actions } = useText().common
  const submit = async (values: Record<string, string>) => {
    const output = await change.send(inputOf(values))
    if (output !== undefined) onDone(output)
  }
  return (
    <Dialog open title={title} size={size} onClose={onClose}>
      <Form
        send={send ?? actions.save}
        kind={kind}
        label={props.label}
        isSending={change.isSending}
        failure={change.failure}
        problem={props.problem}
        onSend={submit}
      >
        {props.children}
      </Form>
    </Dialog>
  )
}
