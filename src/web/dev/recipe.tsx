import type { ReactNode } from 'react'
import css from './kit.module.css'

interface Props {
  /** The kits that it shows, by their names: `{ Button, IconButton }`. */
  kits: Readonly<Record<string, unknown>>
  /** Whether its parts stand side by side. */
  isLine?: boolean
  children: ReactNode
}

/** One recipe of the interface, under the names of its kits. */
export function Recipe({ kits, isLine, children }: Props) {
  const names = Object.keys(kits)
  return (
    <section className={css.recipe} data-kits={names.join(' ')} aria-label={names.join(', ')}>
      <h3>{names.join(', ')}</h3>
      {isLine ? <div className={css.line}>{children}</div> : children}
    </section>
  )
}
