import { Menu } from '@base-ui/react/menu'
import type { RefObject } from 'react'
import { Link } from 'wouter'
import type { MenuEntry } from './menu.tsx'
import css from './overlay.module.css'

interface Props {
  label: string
  entries: readonly MenuEntry[]
  anchor: RefObject<HTMLElement | null>
  align?: 'start' | 'end' | undefined
  onClose(): void
}

export default function MenuPanel({ label, entries, anchor, align = 'start', onClose }: Props) {
  return (
    <Menu.Root
      open
      modal={false}
      onOpenChange={(open, { event }) => {
        if (!open && !anchor.current?.contains(event.target as Node)) onClose()
      }}
    >
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} align={align} sideOffset={6} className={css.positioner}>
          <Menu.Popup className={css.menu} aria-label={label} finalFocus={anchor}>
            {entries.map(entry => (
              <Entry key={entry.name} entry={entry} />
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Entry({ entry }: { entry: MenuEntry }) {
  if (entry.kind === 'line') return <Menu.Separator className={css.line} />
  if (entry.kind === 'title') return <div className={css.title}>{entry.label}</div>
  const { label, shortcut, isChosen, isDanger, href, onChoose } = entry
  const content = (
    <>
      <span className={css.label}>{label}</span>
      {shortcut && <kbd className={css.key}>{shortcut}</kbd>}
    </>
  )
  const className = [css.item, isChosen && css.chosen, isDanger && css.danger].filter(Boolean).join(' ')
  if (href !== undefined) {
    return (
      <Menu.LinkItem
        className={className}
        closeOnClick
        aria-current={isChosen ? 'page' : undefined}
        render={<Link href={href} />}
      >
        {content}
      </Menu.LinkItem>
    )
  }
  return (
    <Menu.Item className={className} onClick={onChoose}>
      {content}
    </Menu.Item>
  )
}
