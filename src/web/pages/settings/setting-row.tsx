import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/use-change.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { useText } from '../../text/text.tsx'
import css from './settings.module.css'

interface Props {
  /** What the row is about: its name, and what is known of it. */
  children: ReactNode
  /** Buttons before those that change and delete. */
  actions?: ReactNode
  /** Whether the reader may change and delete it. */
  mayChange?: boolean
  /** Returns the dialog in which it is changed. */
  edit(close: () => void): ReactNode
  remove: {
    /** What the button says; `Delete` by default. */
    label?: string
    title: string
    question: string
    run(): Promise<unknown>
    /** Keys of the reads that have another answer afterwards. */
    changes: readonly (readonly unknown[])[]
  }
}

/** A row of a list of settings, with buttons to change and to delete it. */
export function SettingRow({ children, actions, mayChange = true, edit, remove }: Props) {
  const { common } = useText()
  const [shown, setShown] = useState<'edit' | 'remove'>()
  const removal = useChange(() => remove.run().then(() => true), remove.changes)
  const close = () => setShown(undefined)
  const label = remove.label ?? common.actions.delete
  return (
    <li>
      <div className={css.what}>{children}</div>
      {mayChange && (
        <div className={css.buttons}>
          {actions}
          <Button onClick={() => setShown('edit')}>{common.actions.edit}</Button>
          <Button kind="danger" onClick={() => setShown('remove')}>
            {label}
          </Button>
        </div>
      )}
      {shown === 'edit' && edit(close)}
      {shown === 'remove' && (
        <Confirm
          title={remove.title}
          confirm={label}
          onConfirm={async () => {
            if (await removal.send(undefined)) close()
          }}
          onClose={close}
          isSending={removal.isSending}
          failure={removal.failure}
        >
          <p>{remove.question}</p>
        </Confirm>
      )}
    </li>
  )
}
