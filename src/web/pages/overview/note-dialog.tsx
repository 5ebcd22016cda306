import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { TextArea, TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'

/** Adds a note to a day, which charts then show. */
export default function NoteDialog({ day, onClose }: { day: string; onClose(): void }) {
  const { overview, common } = useText()
  const { annotation: text } = overview
  const { id } = useSite()
  const add = useChange(
    (values: { text: string; starts_at: string; ends_at?: string }) =>
      api.annotations.create.mutate({ siteKey: id, ...values }),
    [['annotations', id]],
  )
  return (
    <Dialog open title={text.add} onClose={onClose}>
      <Form
        send={common.actions.add}
        isSending={add.isSending}
        failure={add.failure}
        onSend={async ({ text: note, from, to }) => {
          const values = { text: note!, starts_at: from!, ...(to && { ends_at: to }) }
          if (await add.send(values)) onClose()
        }}
      >
        <TextArea
          name="text"
          label={text.text}
          required
          maxLength={1_000}
          errors={add.failure?.fields.text}
        />
        <TextField
          name="from"
          type="date"
          label={text.from}
          defaultValue={day}
          required
          errors={add.failure?.fields.starts_at}
        />
        <TextField name="to" type="date" label={text.to} errors={add.failure?.fields.ends_at} />
      </Form>
    </Dialog>
  )
}
