import { type ReactNode, Suspense } from 'react'
import { lazyPart } from '../lazy-part.ts'

/** Loads the code of dialogs before one is opened. */
export const loadDialog = () => import('./dialog-panel.tsx')
const DialogPanel = lazyPart(loadDialog)

interface Props {
  title: string
  open: boolean
  onClose(): void
  children: ReactNode
  /** `wide` for tables. */
  size?: 'narrow' | 'wide'
  /** Stands beside the title. */
  action?: ReactNode
}

/** A dialog over the page; on a phone it takes the whole screen. Its code is loaded when it is opened. */
export function Dialog({ open, ...rest }: Props) {
  return open ? (
    <Suspense>
      <DialogPanel {...rest} />
    </Suspense>
  ) : null
}
