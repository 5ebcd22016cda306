import { Popover } from '@base-ui/react/popover'
import type { ReactNode, RefObject } from 'react'
import css from './overlay.module.css'

interface Props {
  label: string
  anchor: RefObject<HTMLElement | null>
  align?: 'start' | 'end' | undefined
  onClose(): void
  children: ReactNode
}

export default function PopoverPanel({ label, anchor, align = 'start', onClose, children }: Props) {
  return (
    <Popover.Root
      open
      onOpenChange={(open, { event }) => {
        // The button that opened it closes it by itself.
        if (!open && !anchor.current?.contains(event.target as Node)) onClose()
      }}
    >
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} align={align} sideOffset={6} className={css.positioner}>
          <Popover.Popup className={css.panel} aria-label={label} finalFocus={anchor}>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
