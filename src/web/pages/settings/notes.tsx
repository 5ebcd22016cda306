import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import NoteDialog, { type Note } from '../../chart/note-dialog.tsx'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { SettingList, SettingRow } from '../../parts/setting-row.tsx'
import { usePage } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './settings.module.css'

const PER_PAGE = 25

/** Notes that stand in the charts. */
export function NoteSettings() {
  const { settings: text, common } = useText()
  const { id, mayChange } = useSite()
  const [isAdding, setAdding] = useState(false)
  const [page, onPage] = usePage()
  const notes = useRead(['annotations', id, 'list', page], signal =>
    api.annotations.list.query({ siteKey: id, page, per_page: PER_PAGE }, { signal }),
  )
  return (
    <Card
      title={text.parts.notes}
      note={text.notesHint}
      action={mayChange && <Button onClick={() => setAdding(true)}>{common.actions.add}</Button>}
    >
      <SettingList read={notes} empty={text.noNotes} onPage={onPage}>
        {note => <NoteRow key={note.id} note={note} />}
      </SettingList>
      {isAdding && <NoteDialog onClose={() => setAdding(false)} />}
    </Card>
  )
}

function NoteRow({ note }: { note: Note }) {
  const { settings: text } = useText()
  const { day, days, time } = useFormat()
  const { id, mayChange } = useSite()
  const { starts_at: start, ends_at: end } = note
  const isDay = start.length === 10
  const when = isDay
    ? end === null
      ? day(start)
      : days(start, end)
    : [start, end].flatMap(each => (each === null ? [] : [time(each)])).join(' – ')
  return (
    <SettingRow
      mayChange={mayChange}
      edit={close => <NoteDialog note={note} onClose={close} />}
      remove={{
        title: text.deleteNote,
        question: text.deleteNoteQuestion,
        run: () => api.annotations.delete.mutate({ siteKey: id, annotation: note.id }),
        changes: [['annotations', id]],
      }}
    >
      <p>
        <bdi>{note.text}</bdi>
      </p>
      <p className={css.small}>{[when, note.author].filter(Boolean).join(' · ')}</p>
    </SettingRow>
  )
}
