import type { ReactNode } from 'react'
import type { Change } from '../../api/use-change.ts'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'

interface Props {
  title: string
  send: string
  change: Change<undefined, true>
  onDone(): void
  onClose(): void
  children: ReactNode
}

/** Asks before something that cannot be undone. */
export function Ask({ title, send, change, onDone, onClose, children }: Props) {
  const submit = async () => {
    if (await change.send(undefined)) onDone()
  }
  return (
    <Dialog open title={title} onClose={onClose}>
      <Form kind="danger" send={send} onSend={submit} isSending={change.isSending} failure={change.failure}>
        {children}
      </Form>
    </Dialog>
  )
}
