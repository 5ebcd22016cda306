import { type ComponentProps, type ReactNode, Suspense, useRef, useState } from 'react'
import { Button } from '../form/button.tsx'
import { lazyPart } from '../lazy-part.ts'

const load = () => import('./popover-panel.tsx')
const PopoverPanel = lazyPart(load)

interface Props {
  /** Content of the button that opens it. */
  trigger: ReactNode
  /** Name of what opens; also of the button, if its content is no name. */
  label: string
  children: (close: () => void) => ReactNode
  align?: 'start' | 'end'
  /** Opens and closes it from outside, beside the button. */
  open?: boolean
  onOpen?(open: boolean): void
  button?: Omit<ComponentProps<typeof Button>, 'children'>
}

/** A button with a panel beside it; on a phone the panel is a sheet at the bottom. Its code is loaded when it is about to be used. */
export function Popover({ trigger, label, children, align, open: given, onOpen, button }: Props) {
  const [own, setOwn] = useState(false)
  const anchor = useRef<HTMLButtonElement>(null)
  const open = given ?? own
  const setOpen = onOpen ?? setOwn
  return (
    <>
      <Button
        {...button}
        ref={anchor}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={load}
        onFocus={load}
        onClick={() => setOpen(!open)}
      >
        {trigger}
      </Button>
      {open && (
        <Suspense>
          <PopoverPanel {...{ label, align, anchor }} onClose={() => setOpen(false)}>
            {children(() => setOpen(false))}
          </PopoverPanel>
        </Suspense>
      )}
    </>
  )
}
