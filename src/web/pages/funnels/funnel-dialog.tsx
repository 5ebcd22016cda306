import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import type { Funnel } from './draft.ts'
import { FunnelForm } from './funnel-form.tsx'

interface Props {
  funnel?: Funnel | undefined
  onSaved(funnel: Funnel): void
  onClose(): void
}

/** Makes or changes a funnel over the page. */
export default function FunnelDialog({ funnel, onSaved, onClose }: Props) {
  const { funnels: text } = useText()
  return (
    <Dialog open size="wide" title={funnel ? text.edit : text.create} onClose={onClose}>
      <FunnelForm
        {...(funnel && { funnel })}
        onSaved={saved => {
          onSaved(saved)
          onClose()
        }}
      />
    </Dialog>
  )
}
