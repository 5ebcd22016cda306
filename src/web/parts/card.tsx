import type { ReactNode } from 'react'
import css from './card.module.css'

interface Props {
  title?: ReactNode
  /** Stands at the right of the title. */
  action?: ReactNode
  note?: ReactNode
  children: ReactNode
  isWide?: boolean
  label?: string
}

export function Card({ title, action, note, children, isWide, label }: Props) {
  return (
    <section className={isWide ? `${css.card} ${css.wide}` : css.card} aria-label={label}>
      {(title || action) && (
        <header className={css.head}>
          {title && <h2>{title}</h2>}
          {action}
        </header>
      )}
      {note && <p className={css.note}>{note}</p>}
      {children}
    </section>
  )
}

/** Cards side by side; one below the other where there is no room. */
export function CardGrid({ children, columns = 2 }: { children: ReactNode; columns?: 1 | 2 | 3 }) {
  return <div className={`${css.grid} ${css[`columns${columns}`]}`}>{children}</div>
}
