import { api } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { Editor } from '../parts/editor.tsx'
import { SelectField, TextField } from '../parts/form/field.tsx'
import { type Filter, inputOf } from '../state/filters.ts'
import { useSite } from '../state/site.tsx'
import { useText } from '../text/text.tsx'

/** Saves the filters of the page under a name. */
export default function SaveSegment({ filters, onClose }: { filters: readonly Filter[]; onClose(): void }) {
  const { filters: text } = useText()
  const { id } = useSite()
  // A segment cannot hold another one.
  const own = inputOf(filters.filter(({ name }) => name !== 'segment'))
  type Visibility = Parameters<typeof api.segments.create.mutate>[0]['visibility']
  const save = useChange(
    ({ name, visibility }: { name: string; visibility: Visibility }) =>
      api.segments.create.mutate({ siteKey: id, name, visibility, filters: own as never }),
    [['segments', id]],
  )
  return (
    <Editor
      title={text.saveSegment}
      change={save}
      inputOf={({ name, visibility }) => ({ name: name!, visibility: visibility as Visibility })}
      onClose={onClose}
    >
      <TextField name="name" label={text.segmentName} required maxLength={120} />
      <SelectField
        name="visibility"
        label={text.visibility}
        options={Object.entries(text.visibilities).map(([value, label]) => ({ value, label }))}
      />
    </Editor>
  )
}
