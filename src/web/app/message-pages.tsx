import { Component, type ReactNode, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { awaySince, isReachable, onceBack } from '../api/connection.ts'
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

/** Shows a message in the place of what failed to draw. */
export class Crash extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? <Message /> : this.props.children
  }
}

function Message() {
  const { common } = useText()
  return (
    <main className={css.page}>
      <p role="alert">{common.states.unknown}</p>
      <Button onClick={() => location.reload()}>{common.actions.reload}</Button>
    </main>
  )
}

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

/** Stands in the place of a page whose code could not be loaded. Once the service answers again, the page is loaded by itself. */
export function NotLoaded() {
  const { states } = useText().common
  useEffect(() => (awaySince() ? onceBack(() => location.reload()) : undefined), [])
  return (
    <main className={css.page} id="content">
      <h1>{states.notLoadedTitle}</h1>
      <p role="alert">{states.notLoaded}</p>
      <ReloadButton />
    </main>
  )
}

/** Loads the page anew as soon as the service answers: without an answer it would become an error page of the browser. */
export function ReloadButton() {
  const { actions } = useText().common
  const [isBusy, setBusy] = useState(false)
  const reload = async () => {
    setBusy(true)
    if (await isReachable()) location.reload()
    else setBusy(false)
  }
  return (
    <Button isBusy={isBusy} onClick={reload}>
      {actions.again}
    </Button>
  )
}
