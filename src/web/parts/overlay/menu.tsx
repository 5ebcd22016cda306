import { type ComponentProps, type ReactNode, Suspense, useRef, useState } from 'react'
import { Button } from '../form/button.tsx'
import { lazyPart } from '../lazy-part.ts'
import css from './overlay.module.css'

const load = () => import('./menu-panel.tsx')
const MenuPanel = lazyPart(load)

/** `line` separates groups. An item with `href` is a link, relative to the page's routes. */
export type MenuEntry =
  | { kind: 'line'; name: string }
  | { kind: 'title'; name: string; label: string }
  | {
      kind?: 'item'
      name: string
      label: ReactNode
      /** Key that does the same, shown at the right. */
      shortcut?: string
      isChosen?: boolean
      isDanger?: boolean
      href?: string
      onChoose?(): void
    }

interface Props {
  trigger: ReactNode
  label: string
  entries: readonly MenuEntry[]
  align?: 'start' | 'end'
  button?: Omit<ComponentProps<typeof Button>, 'children'>
  /** The person is about to open it. */
  onNear?(): void
}

/** A button with a menu. Its code is loaded when it is about to be used. */
export function Menu({ trigger, label, entries, align, button, onNear }: Props) {
  const [open, setOpen] = useState(false)
  const anchor = useRef<HTMLButtonElement>(null)
  const prepare = () => {
    load()
    onNear?.()
  }
  return (
    <>
      <Button
        {...button}
        ref={anchor}
        aria-haspopup="menu"
        aria-expanded={open}
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={() => setOpen(!open)}
      >
        {trigger}
      </Button>
      {open && (
        <Suspense>
          <MenuPanel {...{ label, entries, align, anchor }} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** What can be done with a row of a table, behind one sign. */
export function RowMenu({ label, entries }: Pick<Props, 'label' | 'entries'>) {
  return (
    <Menu
      trigger="⋯"
      label={label}
      align="end"
      entries={entries}
      button={{ kind: 'quiet', className: css.rows, 'aria-label': label }}
    />
  )
}
