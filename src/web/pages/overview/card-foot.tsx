import type { ReactNode } from 'react'
import { loadDialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import css from './card-foot.module.css'

/** Opens the details of a card; says at the right how much there is. */
export function CardFoot({ onDetails, children }: { onDetails(): void; children: ReactNode }) {
  const { actions } = useText().common
  return (
    <button
      type="button"
      className={css.foot}
      aria-haspopup="dialog"
      onPointerEnter={loadDialog}
      onFocus={loadDialog}
      onClick={onDetails}
    >
      <span>{actions.details}</span>
      <span>{children}</span>
    </button>
  )
}
