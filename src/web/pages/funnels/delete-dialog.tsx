import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useSite } from '../../app/site.tsx'
import { Form } from '../../parts/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import type { Funnel } from './draft.ts'

interface Props {
  funnel: Funnel
  onDeleted(): void
  onClose(): void
}

/** Asks before a funnel is deleted. */
export default function DeleteDialog({ funnel, onDeleted, onClose }: Props) {
  const { funnels: text, common } = useText()
  const { id } = useSite()
  const remove = useChange(async () => {
    await api.funnels.delete.mutate({ siteKey: id, funnel: funnel.id })
    return true
  }, [['funnels', id]])
  return (
    <Dialog open title={text.delete} onClose={onClose}>
      <Form
        kind="danger"
        send={common.actions.delete}
        isSending={remove.isSending}
        failure={remove.failure}
        onSend={async () => {
          if (!(await remove.send(undefined))) return
          onDeleted()
          onClose()
        }}
      >
        <p>{text.deleteQuestion(funnel.name)}</p>
      </Form>
    </Dialog>
  )
}
