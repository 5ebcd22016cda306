import type { ReactNode } from 'react'
import css from './notice.module.css'

/** Says that something has happened, or what is important to know before it does. */
export function Notice({ children, isProblem }: { children: ReactNode; isProblem?: boolean }) {
  return (
    <div
      className={isProblem ? `${css.notice} ${css.problem}` : css.notice}
      role={isProblem ? 'alert' : 'status'}
    >
      {children}
    </div>
  )
}
