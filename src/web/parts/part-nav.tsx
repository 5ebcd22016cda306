import type { ReactNode } from 'react'
import { Link } from 'wouter'
import css from './part-nav.module.css'

export interface Part {
  /** Last part of the address; empty for the first one. */
  path: string
  label: string
}

interface Props {
  /** Address of the first part. */
  base: string
  label: string
  parts: readonly Part[]
  /** `path` of the part that is shown. */
  current: string
  children: ReactNode
}

/** Parts of a page that have an address each: a list beside the content, above it on a phone. */
export function PartNav({ base, label, parts, current, children }: Props) {
  return (
    <div className={css.page}>
      <nav className={css.nav} aria-label={label}>
        {parts.map(({ path, label: name }) => (
          <Link
            key={path}
            href={path === '' ? base : `${base}/${path}`}
            className={css.link}
            aria-current={path === current ? 'page' : undefined}
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className={css.content}>{children}</div>
    </div>
  )
}
