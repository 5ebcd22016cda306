import { useId, useState } from 'react'
import { HostileText } from '../../../parts/hostile-text.tsx'
import { useText } from '../../../text/text.tsx'
import css from './file-field.module.css'

interface Props {
  file: File | undefined
  onFile(file: File | undefined): void
  errors?: readonly string[] | undefined
}

/** A place to drop a file on; the button in it works with the keyboard. */
export function FileField({ file, onFile, errors }: Props) {
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
