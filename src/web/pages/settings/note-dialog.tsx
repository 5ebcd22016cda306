import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { TextArea, TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Note } from './notes.tsx'

interface Values {
  text: string
  starts_at?: string
  ends_at?: string | null
}

/** Adds a note to a day or to several, or changes one. The times of one that is exact to the minute stay as they are. */
export function NoteDialog({ note, onClose }: { note?: Note; onClose(): void }) {
  const { settings: words, overview, common } = useText()
  const { id, timezone } = useSite()
  const change = useChange(
    (values: Values) =>
      note
        ? api.annotations.change.mutate({ siteKey: id, annotation: note.id, ...values })
        : api.annotations.create.mutate({ siteKey: id, starts_at: todayIn(timezone), ...values }),
    [['annotations', id]],
  )
  const hasDays = note === undefined || note.starts_at.length === 10
  const errors = change.failure?.fields ?? {}
  return (
    <Dialog open title={note ? words.editNote : overview.annotation.add} onClose={onClose}>
      <Form
        send={common.actions.save}
        isSending={change.isSending}
        failure={Object.keys(errors).length > 0 ? undefined : change.failure}
        onSend={async ({ text = '', starts_at: start, ends_at: end }) => {
          const days = hasDays && start ? { starts_at: start, ends_at: end || null } : {}
          if (await change.send({ text, ...days })) onClose()
        }}
      >
        <TextArea
          name="text"
          label={overview.annotation.text}
          defaultValue={note?.text}
          maxLength={1000}
          errors={errors.text}
          required
        />
        {hasDays && (
          <>
            <TextField
              name="starts_at"
              type="date"
              label={overview.annotation.from}
              defaultValue={note?.starts_at ?? todayIn(timezone)}
              errors={errors.starts_at}
              required
            />
            <TextField
              name="ends_at"
              type="date"
              label={overview.annotation.to}
              defaultValue={note?.ends_at ?? ''}
              errors={errors.ends_at}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** The present day of a time zone, `YYYY-MM-DD`. */
const todayIn = (timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date())
