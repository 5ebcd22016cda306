import { useText } from '../../../text/text.tsx'
import { clockText, type Mark, type Timeline } from './timeline.ts'
import css from './track.module.css'

interface Props {
  timeline: Timeline
  atMs: number
  seek(atMs: number): void
}

/** The time axis of a recording, with its pages and errors. */
export function Track({ timeline: { lengthMs, marks }, atMs, seek }: Props) {
  const { replay } = useText()
  const shareOf = (ms: number) => (lengthMs > 0 ? Math.min(1, ms / lengthMs) : 0)
  return (
    <div>
      <input
        type="range"
        className={css.range}
        style={{ '--share': shareOf(atMs) } as object}
        min={0}
        max={Math.max(1, Math.round(lengthMs))}
        value={Math.round(atMs)}
        aria-label={replay.moment}
        aria-valuetext={replay.momentOf(clockText(atMs), clockText(lengthMs))}
        onChange={event => seek(Number(event.target.value))}
      />
      <ol className={css.marks} aria-label={replay.marks}>
        {marks.map((mark, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: marks have no names of their own
          <li key={index} style={{ left: `${shareOf(mark.atMs) * 100}%` }}>
            <MarkButton mark={mark} onChoose={() => seek(mark.lookMs)} />
          </li>
        ))}
      </ol>
    </div>
  )
}

const LONGEST_NAME = 200

function MarkButton({ mark: { kind, name, atMs }, onChoose }: { mark: Mark; onChoose(): void }) {
  const { replay } = useText()
  const at = clockText(atMs)
  const shown = name.slice(0, LONGEST_NAME)
  const label = kind === 'error' ? replay.errorAt(shown, at) : replay.pageAt(shown, at)
  return (
    <button
      type="button"
      className={kind === 'error' ? css.error : css.page}
      aria-label={label}
      title={label}
      onClick={onChoose}
    />
  )
}
