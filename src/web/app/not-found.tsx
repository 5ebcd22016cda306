import { Link } from 'wouter'
import { useText } from '../text/text.tsx'
import css from './message-page.module.css'

/** A friendly page for an address that has nothing. */
export function NotFound({ message }: { message?: string }) {
  const { states } = useText().common
  return (
    <main className={css.page} id="content">
      <h1>{states.missingTitle}</h1>
      <p>{message ?? states.missing}</p>
      <p>
        <Link href="~/">{states.toSites}</Link>
      </p>
    </main>
  )
}
