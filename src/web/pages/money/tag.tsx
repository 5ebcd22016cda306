import type { ReactNode } from 'react'
import css from './tag.module.css'

interface Props {
  /** `good` and `bad` for what changed; a state is neutral. */
  tone?: 'good' | 'bad' | 'plain'
  children: ReactNode
}

/** A state in one word. */
export function Tag({ tone = 'plain', children }: Props) {
  return <span className={`${css.tag} ${css[tone]}`}>{children}</span>
}
