import type { ReactNode } from 'react'
import css from './steps.module.css'

interface Props {
  number: number
  state?: 'done' | 'now'
  title: string
  children: ReactNode
}

export function Steps({ children }: { children: ReactNode }) {
  return <ol className={css.steps}>{children}</ol>
}

/** One step of several. */
export function Step({ number, state, title, children }: Props) {
  return (
    <li className={css.step} aria-current={state === 'now' ? 'step' : undefined}>
      <span className={[css.number, state && css[state]].filter(Boolean).join(' ')} aria-hidden="true">
        {state === 'done' ? '✓' : number}
      </span>
      <div className={css.content}>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  )
}
