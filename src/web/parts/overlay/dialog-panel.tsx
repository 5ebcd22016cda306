import { Dialog } from '@base-ui/react/dialog'
import { type ReactNode, useRef } from 'react'
import { useText } from '../../text/text.tsx'
import { IconButton } from '../form/button.tsx'
import css from './overlay.module.css'

interface Props {
  title: string
  onClose(): void
  children: ReactNode
  size?: 'narrow' | 'wide'
  action?: ReactNode
}

/** What a person most likely wants to fill in. */
const FIRST_FIELD = 'input:not([disabled]), select:not([disabled]), textarea:not([disabled])'

export default function DialogPanel({ title, onClose, children, size = 'narrow', action }: Props) {
  const { actions } = useText().common
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Dialog.Root open onOpenChange={open => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={css.backdrop} />
        <Dialog.Viewport className={css.viewport}>
          <Dialog.Popup
            ref={popup}
            className={`${css.dialog} ${css[size]}`}
            initialFocus={() => popup.current?.querySelector<HTMLElement>(FIRST_FIELD) ?? true}
          >
            <header className={css.head}>
              <Dialog.Title className={css.heading}>{title}</Dialog.Title>
              {action}
              <Dialog.Close nativeButton render={<IconButton label={actions.close}>×</IconButton>} />
            </header>
            <div className={css.body}>{children}</div>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
