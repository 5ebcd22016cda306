import { useEffect, useRef, useState } from 'react'
import { api } from '../../../api/client.ts'
import { uploadParts } from '../../../api/upload.ts'
import { useChange } from '../../../api/use-change.ts'
import { Button } from '../../../parts/form/button.tsx'
import { SelectField, TextField } from '../../../parts/form/field.tsx'
import { ZoneField } from '../../../parts/form/option-fields.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { useFailureText } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { FileField } from './file-field.tsx'
import type { ImportFormat } from './import.tsx'

/** Chooses a format and a file, uploads it, and asks for its dry run. */
export function NewImport({ formats }: { formats: ImportFormat[] }) {
  const { imports: text } = useText()
  const { id } = useSite()
  const textOf = useFailureText()
  const [name, setName] = useState(formats[0]?.format ?? '')
  const [file, setFile] = useState<File>()
  const [website, setWebsite] = useState('')
  const [zone, setZone] = useState('UTC')
  const [percent, setPercent] = useState(0)
  const stopping = useRef<AbortController>(undefined)
  useEffect(() => () => stopping.current?.abort(), [])
  const format = formats.find(each => each.format === name)

  const upload = useChange(
    async (chosen: File) => {
      const stop = new AbortController()
      stopping.current = stop
      setPercent(0)
      const made = await api.imports.create.mutate({
        siteKey: id,
        format: name,
        file_name: chosen.name.slice(0, 255),
        bytes: chosen.size,
        website: website || null,
        timezone: zone,
      })
      const path = `sites/${id}/imports/${made.id}`
      await uploadParts(path, chosen, made, stop.signal, part => setPercent(Math.floor(part * 100))).catch(
        async (error: unknown) => {
          await api.imports.cancel.mutate({ siteKey: id, id: made.id })
          if (!stop.signal.aborted) throw error
        },
      )
      if (stop.signal.aborted) return
      await api.imports.start.mutate({ siteKey: id, id: made.id, dry_run: true })
      setFile(undefined)
    },
    [['imports', id, 'list']],
  )
  const { failure } = upload
  return (
    <form
      className={css.stack}
      aria-label={text.title}
      onSubmit={event => {
        event.preventDefault()
        if (file) void upload.send(file)
      }}
    >
      <SelectField
        label={text.format}
        value={name}
        hint={text.files[name] ?? format?.file}
        options={formats.map(each => ({ value: each.format, label: each.title }))}
        onChange={event => setName(event.target.value)}
        errors={failure?.fields.format}
      />
      {format && <Notes format={format} />}
      <FileField file={file} onFile={setFile} errors={failure?.fields.bytes ?? failure?.fields.file_name} />
      <TextField
        label={text.website}
        hint={text.websiteHint}
        value={website}
        onChange={event => setWebsite(event.target.value)}
        errors={failure?.fields.website}
        autoComplete="off"
      />
      <ZoneField value={zone} onChange={setZone} label={text.timezone} hint={text.timezoneHint} />
      {failure && Object.keys(failure.fields).length === 0 && (
        <Notice isProblem>{failure.kind === 'unknown' ? failure.message : textOf(failure)}</Notice>
      )}
      <div className={css.buttons}>
        <Button type="submit" kind="main" disabled={!file || upload.isSending} aria-busy={upload.isSending}>
          {text.check}
        </Button>
        {upload.isSending && (
          <>
            <span role="status" className={css.quiet}>
              {text.uploading(percent)}
            </span>
            <Button onClick={() => stopping.current?.abort()}>{text.stopUpload}</Button>
          </>
        )}
      </div>
    </form>
  )
}

function Notes({ format: { format, notes, why_no_undo: why } }: { format: ImportFormat }) {
  const { imports: text } = useText()
  return (
    <details>
      <summary>{text.notes}</summary>
      <ul className={css.small}>
        {(text.noteTexts[format] ?? notes).map(note => (
          <li key={note}>{note}</li>
        ))}
        {why !== null && (
          <li>
            {text.noUndo}: {text.whyNoUndo[format] ?? why}
          </li>
        )}
      </ul>
    </details>
  )
}
