import { type ReactNode, useEffect } from 'react'
import type { Failure } from '../../api/failure.ts'
import { useFailureText } from '../../parts/states.tsx'
import { CODES, chooseLanguage, useLanguage, useText } from '../../text/text.tsx'
import css from './auth-page.module.css'

interface Props {
  title: string
  intro?: ReactNode
  children: ReactNode
}

/** A narrow column for people who are not signed in yet. */
export function AuthPage({ title, intro, children }: Props) {
  const { common } = useText()
  useEffect(() => {
    document.title = `${title} · ${common.product}`
  }, [title, common])
  return (
    <div className={css.page}>
      <p className={css.product}>{common.product}</p>
      <main className={css.main} id="content">
        <header>
          <h1>{title}</h1>
          {intro && <p className={css.intro}>{intro}</p>}
        </header>
        {children}
      </main>
      <Languages />
    </div>
  )
}

/** The languages of the interface, each with its own name. */
function Languages() {
  const { common } = useText()
  const { code } = useLanguage()
  return (
    <nav className={css.languages} aria-label={common.language}>
      {CODES.map(each => (
        <button
          key={each}
          type="button"
          lang={each}
          aria-current={each === code || undefined}
          onClick={() => chooseLanguage(each)}
        >
          {new Intl.DisplayNames(each, { type: 'language' }).of(each)}
        </button>
      ))}
    </nav>
  )
}

/** What stands in the column, one below the other. */
export const Stack = ({ children }: { children: ReactNode }) => <div className={css.stack}>{children}</div>

/** Separates ways to sign in; one of them is enough. */
export function Or() {
  const { auth } = useText()
  return (
    <div className={css.or}>
      <span>{auth.or}</span>
    </div>
  )
}

/** Puts the cursor into the first field that may be filled, as soon as the form is there. */
export const focusFirst = (node: HTMLElement | null) =>
  node?.querySelector<HTMLElement>('input:not([readonly])')?.focus()

/** Returns what to tell a person who is not signed in about a failure: their session cannot have ended. */
export function useProblem(): (failure: Failure | undefined) => string | undefined {
  const { auth, common } = useText()
  const textOf = useFailureText()
  return failure => {
    if (!failure) return undefined
    if (failure.kind === 'limited') return auth.tooMany
    if (failure.kind === 'too_slow') return common.states.busy
    return failure.kind === 'signed_out' ? failure.message : textOf(failure)
  }
}
