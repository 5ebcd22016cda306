import { useEffect } from 'react'
import { awaySince, onceBack } from '../api/connection.ts'
import { useText } from '../text/text.tsx'
import css from './message-page.module.css'
import { ReloadButton } from './reload-button.tsx'

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
