import { api, type Outputs } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { Editor } from '../parts/editor.tsx'
import { TextArea, TextField } from '../parts/form/field.tsx'
import { useSite } from '../state/site.tsx'
import { useText } from '../text/text.tsx'

export type Note = Outputs['annotations']['list']['data'][number]

interface Props {
  /** The note to change; without it a new one is made. */
  note?: Note
  /** Day of a new note, `YYYY-MM-DD`; today by default. */
  day?: string
  onClose(): void
}

interface Values {
  text: string
  starts_at?: string
  ends_at?: string | null
}

/** Adds a note to a day or to several, or changes one. The times of one that is exact to the minute stay as they are. */
export default function NoteDialog({ note, day, onClose }: Props) {
  const { settings, overview, common } = useText()
  const { annotation: text } = overview
  const { id, timezone } = useSite()
  const first = note?.starts_at ?? day ?? todayIn(timezone)
  const change = useChange(
    (values: Values) =>
      note
        ? api.annotations.change.mutate({ siteKey: id, annotation: note.id, ...values })
        : api.annotations.create.mutate({ siteKey: id, starts_at: first, ...values }),
    [['annotations', id]],
  )
  const hasDays = first.length === 10
  return (
    <Editor
      title={note ? settings.editNote : text.add}
      send={note ? common.actions.save : common.actions.add}
      change={change}
      inputOf={({ text: given = '', starts_at: start, ends_at: end }) => ({
        text: given,
        ...(hasDays && start && { starts_at: start, ends_at: end || null }),
      })}
      onClose={onClose}
    >
      <TextArea name="text" label={text.text} defaultValue={note?.text} maxLength={1000} required />
      {hasDays && (
        <>
          <TextField name="starts_at" type="date" label={text.from} defaultValue={first} required />
          <TextField name="ends_at" type="date" label={text.to} defaultValue={note?.ends_at ?? ''} />
        </>
      )}
    </Editor>
  )
}

/** The present day of a time zone, `YYYY-MM-DD`. */
const todayIn = (timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date())
