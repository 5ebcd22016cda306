import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useSite } from '../../state/site.tsx'
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
  const confirm = async () => {
    if (!(await remove.send(undefined))) return
    onDeleted()
    onClose()
  }
  return (
    <Confirm
      title={text.delete}
      confirm={common.actions.delete}
      onConfirm={confirm}
      onClose={onClose}
      isSending={remove.isSending}
      failure={remove.failure}
    >
      {text.deleteQuestion(funnel.name)}
    </Confirm>
  )
}
