import { Link } from 'wouter'
import { useText } from '../text/text.tsx'
import css from './message-page.module.css'

/** A friendly page for an address that has nothing. */
export function NotFound({ message, isGuest = false }: { message?: string; isGuest?: boolean }) {
  const { nav, states } = useText().common
  return (
    <main className={css.page} id="content">
      <h1>{states.missingTitle}</h1>
      <p>{message ?? states.missing}</p>
      <p>
        {/* A guest has no sites; pages of the team would be asked for without the cookie. */}
        {isGuest ? <Link href="/">{nav.overview}</Link> : <Link href="~/">{states.toSites}</Link>}
      </p>
    </main>
  )
}
