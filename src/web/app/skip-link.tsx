import { useText } from '../text/text.tsx'
import css from './skip-link.module.css'

/** Leads keyboards past the navigation. No plain `#content`: below the base address that is another page. */
export function SkipLink() {
  const { common } = useText()
  return (
    <button type="button" className={css.skip} onClick={() => document.getElementById('content')?.focus()}>
      {common.nav.skip}
    </button>
  )
}
