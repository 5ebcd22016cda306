import { type ReactNode, useState } from 'react'
import type { Change } from '../api/use-change.ts'
import { useSite } from '../state/site.tsx'
import { useText } from '../text/text.tsx'
import { Form } from './form/form.tsx'
import css from './settings.module.css'

interface Props<Input, Output> {
  label: string
  change: Change<Input, Output>
  /** Returns what to send; undefined for nothing. */
  onSend(values: Record<string, string>): Input | undefined
  onSaved?(output: Output): void
  /** Whether the person may change it; by default those who may change settings. */
  may?: boolean
  children: ReactNode
}

/**
 * A form of settings, which says that it was saved. Without the right to change it, its fields are only read.
 *
 *     <SettingForm label={text.retention} change={change} onSend={({ months = '' }) => Number(months)}>
 *       <TextField name="months" type="number" label={text.months} defaultValue={site.months} />
 *     </SettingForm>
 */
export function SettingForm<Input, Output>({
  label,
  change,
  onSend,
  onSaved,
  may,
  children,
}: Props<Input, Output>) {
  const { common, settings: text } = useText()
  const { mayChange } = useSite()
  const [isSaved, setSaved] = useState(false)
  if (!(may ?? mayChange)) {
    return (
      <fieldset className={css.fields} disabled aria-label={label}>
        {children}
      </fieldset>
    )
  }
  const send = async (values: Record<string, string>) => {
    setSaved(false)
    const input = onSend(values)
    if (input === undefined) return setSaved(true)
    const output = await change.send(input)
    if (output === undefined) return
    setSaved(true)
    onSaved?.(output)
  }
  return (
    <div onInput={() => setSaved(false)}>
      <Form
        label={label}
        send={common.actions.save}
        onSend={send}
        isSending={change.isSending}
        failure={change.failure}
        others={
          <span role="status" className={css.saved}>
            {isSaved && text.saved}
          </span>
        }
      >
        {children}
      </Form>
    </div>
  )
}
