import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useLinks } from '../../../state/kept-search.ts'
import { useText } from '../../../text/text.tsx'
import css from './watch-link.module.css'

/** Leads to the recording of a visit. Without a text it is a mark. */
export function WatchLink({ session, children }: { session: string; children?: ReactNode }) {
  const { replay } = useText()
  const linkTo = useLinks()
  return (
    <Link
      href={linkTo(`/sessions/${session}`, { at: '0' })}
      className={css.watch}
      title={replay.watch}
      aria-label={replay.watch}
    >
      <span aria-hidden="true">▶</span>
      {children}
    </Link>
  )
}
