import { useEffect } from 'react'
import type { Failure } from '../api/failure.ts'
import { Button } from '../parts/form/button.tsx'
import { useFailureText } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import css from './message-page.module.css'

const AGAIN_MS = 5_000

/** The whole page when what it needs cannot be loaded. It tries again by itself. */
export function Away({ failure, again }: { failure: Failure; again(): void }) {
  const { common } = useText()
  const textOf = useFailureText()
  const isAway = failure.kind === 'away'
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(again, AGAIN_MS)
    return () => clearInterval(timer)
  }, [again, isAway])
  return (
    <main className={css.page}>
      {isAway && <h1>{common.states.awayTitle}</h1>}
      <p role="alert">{textOf(failure)}</p>
      <Button onClick={again}>{common.actions.again}</Button>
    </main>
  )
}
