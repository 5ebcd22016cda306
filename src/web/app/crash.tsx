import { Component, type ReactNode } from 'react'
import { Button } from '../parts/form/button.tsx'
import { useText } from '../text/text.tsx'
import css from './message-page.module.css'

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
