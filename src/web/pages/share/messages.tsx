import { useEffect } from 'react'
import { api } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import css from '../../app/message-page.module.css'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { useText } from '../../text/text.tsx'
import { keepAccess, knownOf } from './secrets.ts'

/** Says that a link does not work. */
export function ShareOver() {
  const { share: text } = useText()
  useTitle(text.over)
  return (
    <main className={css.page} id="content">
      <h1>{text.over}</h1>
      <p>{text.overHint}</p>
    </main>
  )
}

/** Asks for the password of a share. */
export function SharePassword({ site, onOpened }: { site: string; onOpened(): void }) {
  const { share: text } = useText()
  useTitle(text.title)
  const open = useChange((password: string) =>
    api.shares.open.mutate({ secret: knownOf(site).secret ?? '', password }),
  )
  const send = async ({ password = '' }: Record<string, string>) => {
    const opened = await open.send(password)
    if (!opened) return
    keepAccess(site, opened.access)
    onOpened()
  }
  return (
    <main className={css.page} id="content">
      <h1>{text.title}</h1>
      <p>{text.passwordHint}</p>
      <Form
        send={text.open}
        onSend={send}
        isSending={open.isSending}
        failure={isAboutPassword(open.failure) ? undefined : open.failure}
      >
        <TextField
          name="password"
          type="password"
          label={text.password}
          autoComplete="current-password"
          errors={errorsOf(open.failure, text)}
          required
          autoFocus
        />
      </Form>
    </main>
  )
}

const isAboutPassword = (failure: Failure | undefined) =>
  failure !== undefined && ['signed_out', 'limited', 'invalid'].includes(failure.kind)

function errorsOf(failure: Failure | undefined, text: { wrongPassword: string; tooMany: string }): string[] {
  if (!isAboutPassword(failure)) return []
  return [failure!.kind === 'limited' ? text.tooMany : text.wrongPassword]
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = title
  }, [title])
}
