import { useEffect, useId, useRef, useState } from 'react'
import { api } from '../../../api/client.ts'
import { uploadParts } from '../../../api/files.ts'
import { useChange } from '../../../api/use-change.ts'
import { Button } from '../../../parts/form/button.tsx'
import { SelectField, TextField } from '../../../parts/form/field.tsx'
import { ZoneField } from '../../../parts/form/option-fields.tsx'
import { HostileText } from '../../../parts/hostile-text.tsx'
import { Notice, useFailureText } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
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
        hint={text.files[name] ?? sentence(format?.file ?? '')}
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

/** Some descriptions begin like a part of a sentence. */
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

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

interface Props {
  file: File | undefined
  onFile(file: File | undefined): void
  errors?: readonly string[] | undefined
}

/** A place to drop a file on; the button in it works with the keyboard. */
function FileField({ file, onFile, errors }: Props) {
  const { imports: text } = useText()
  const [isOver, setOver] = useState(false)
  const id = useId()
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the input inside is the first
    <div
      className={isOver ? `${css.place} ${css.over}` : css.place}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault()
        setOver(false)
        onFile(event.dataTransfer.files[0])
      }}
    >
      <label htmlFor={id}>{text.drop}</label>
      <input
        id={id}
        type="file"
        // A file that was uploaded can be chosen again.
        key={file ? 'chosen' : 'none'}
        aria-describedby={`${id}-file`}
        onChange={event => onFile(event.target.files?.[0])}
        className={file ? css.chosen : undefined}
      />
      <p id={`${id}-file`} className={css.file}>
        {file && (
          <>
            <HostileText>{file.name}</HostileText> <span>{sizeOf(file.size)}</span>
          </>
        )}
      </p>
      {errors && (
        <p role="alert" className={css.errors}>
          {errors.join(' · ')}
        </p>
      )}
    </div>
  )
}

const sizeOf = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
