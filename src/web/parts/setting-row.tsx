import { type ReactNode, useState } from 'react'
import { useChange } from '../api/use-change.ts'
import type { Read } from '../api/use-read.ts'
import { useText } from '../text/text.tsx'
import { Confirm } from './confirm.tsx'
import { Button } from './form/button.tsx'
import { List, type Listed } from './lists/list.tsx'
import css from './settings.module.css'

interface ListProps<Row> {
  read: Read<Listed<Row>>
  empty: ReactNode
  onPage?(page: number): void
  /** Returns the `<SettingRow>` of a row. */
  children: (row: Row) => ReactNode
}

/** Rows that are there, one below the other. */
export const SettingRows = ({ children }: { children: ReactNode }) => <ul className={css.list}>{children}</ul>

/** A list of settings, one below the other, in each state of a list. */
export function SettingList<Row extends { id: string }>({ children, ...list }: ListProps<Row>) {
  return <List<Row> {...list}>{rows => <SettingRows>{rows.map(children)}</SettingRows>}</List>
}

interface Props {
  /** What the row is about: its name, and what is known of it. */
  children: ReactNode
  /** Buttons before those that change and delete. */
  actions?: ReactNode
  /** Whether the reader may change and delete it. */
  mayChange?: boolean
  /** Returns the dialog in which it is changed. */
  edit?(close: () => void): ReactNode
  remove?: {
    /** What the button says; `Delete` by default. */
    label?: string
    title: string
    question: string
    run(): Promise<unknown>
    /** Keys of the reads that have another answer afterwards. */
    changes: readonly (readonly unknown[])[]
  }
}

/**
 * A row of a list of settings, with buttons to change and to delete it.
 *
 *     <SettingRow edit={close => <NoteDialog note={note} onClose={close} />} remove={{ title, question, run, changes }}>
 *       <p>{note.text}</p>
 *     </SettingRow>
 */
export function SettingRow({ children, actions, mayChange = true, edit, remove }: Props) {
  const { common } = useText()
  const [shown, setShown] = useState<'edit' | 'remove'>()
  const close = () => setShown(undefined)
  const label = remove?.label ?? common.actions.delete
  return (
    <li>
      <div className={css.what}>{children}</div>
      {mayChange && (actions || edit || remove) && (
        <div className={css.buttons}>
          {actions}
          {edit && <Button onClick={() => setShown('edit')}>{common.actions.edit}</Button>}
          {remove && (
            <Button kind="danger" onClick={() => setShown('remove')}>
              {label}
            </Button>
          )}
        </div>
      )}
      {shown === 'edit' && edit?.(close)}
      {shown === 'remove' && remove && <Removal {...remove} label={label} onClose={close} />}
    </li>
  )
}

type RemovalProps = NonNullable<Props['remove']> & { label: string; onClose(): void }

function Removal({ label, title, question, run, changes, onClose }: RemovalProps) {
  const removal = useChange(run, changes)
  return (
    <Confirm title={title} confirm={label} change={removal} onClose={onClose}>
      <p>{question}</p>
    </Confirm>
  )
}
