import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import css from './tabs.module.css'

interface Props<Name extends string> {
  label: string
  tabs: readonly { name: Name; label: string }[]
  value: Name
  onChange(name: Name): void
  children: ReactNode
  /** Stands at the right of the tabs. */
  action?: ReactNode
}

/** Tabs with one panel, which shows what belongs to the chosen one. */
export function Tabs<Name extends string>({ label, tabs, value, onChange, children, action }: Props<Name>) {
  return (
    <Base.Root value={value} onValueChange={next => onChange(next as Name)}>
      <div className={css.bar}>
        <Base.List className={css.list} aria-label={label}>
          {tabs.map(tab => (
            <Base.Tab key={tab.name} value={tab.name} className={css.tab}>
              {tab.label}
            </Base.Tab>
          ))}
        </Base.List>
        {action}
      </div>
      <Base.Panel value={value} className={css.panel} keepMounted tabIndex={-1}>
        {children}
      </Base.Panel>
    </Base.Root>
  )
}
