import { useEffect, useRef } from 'react'
import { Button } from '../../../parts/form/button.tsx'
import { Choice } from '../../../parts/form/choices.tsx'
import { Empty, FailureNote, Notice } from '../../../parts/states.tsx'
import { addressOf } from '../../../state/places.ts'
import { useText } from '../../../text/text.tsx'
import type { SessionRow } from '../session-list.tsx'
import css from './player.module.css'
import { clockText, type Mark, type Timeline } from './timeline.ts'
import { type Playback, SPEEDS, usePlayback } from './use-playback.ts'
import { useRecording } from './use-recording.ts'

/** Loads the recording of a visit, and plays it. */
export default function Player({ session }: { session: SessionRow }) {
  const { replay } = useText()
  const { loaded, share, failure, again } = useRecording(session)
  if (failure) return <FailureNote failure={failure} again={again} />
  if (!loaded) return <Loading share={share} />
  if (loaded.timeline.recordings.length === 0) return <Empty title={replay.nothing} />
  return <Playing {...loaded} />
}

function Loading({ share }: { share: number }) {
  const { replay } = useText()
  return (
    <div className={css.loading} role="status" aria-busy="true">
      <progress value={share} aria-label={replay.loading} />
      {replay.loading}
    </div>
  )
}

const STEPS_MS: Record<string, number> = { ArrowLeft: -5_000, ArrowRight: 5_000 }

function Playing({ timeline, isCut }: { timeline: Timeline; isCut: boolean }) {
  const { replay } = useText()
  const playback = usePlayback(timeline)
  const { atMs, isPlaying, isDamaged, seek, toggle } = playback
  const whole = useRef<HTMLDivElement>(null)
  useKeysOf(whole, key => (key === ' ' ? toggle() : seek(atMs + STEPS_MS[key]!)))
  return (
    <div ref={whole} className={css.player}>
      <Screen playback={playback} />
      <Track timeline={timeline} atMs={atMs} seek={seek} />
      <div className={css.controls}>
        <Button kind="main" className={css.play} onClick={toggle}>
          {isPlaying ? replay.pause : replay.play}
        </Button>
        <span className={css.clock}>{replay.momentOf(clockText(atMs), clockText(timeline.lengthMs))}</span>
        <Options playback={playback} />
      </div>
      {isCut && <Notice>{replay.cut}</Notice>}
      {isDamaged && <Notice>{replay.damaged}</Notice>}
      <p className={css.hint}>{replay.hint}</p>
    </div>
  )
}

function Options({ playback }: { playback: Playback }) {
  const { replay } = useText()
  const { speed, skip, setSpeed, setSkip } = playback
  return (
    <div className={css.options}>
      <label className={css.skip}>
        <input type="checkbox" checked={skip} onChange={event => setSkip(event.target.checked)} />
        {replay.skip}
      </label>
      <Choice
        label={replay.speed}
        options={SPEEDS.map(each => ({ value: String(each), label: `${each}×` }))}
        value={String(speed)}
        onChange={next => setSpeed(SPEEDS.find(each => String(each) === next) ?? 1)}
      />
    </div>
  )
}

/** The recorded page, as large as there is room. Its frame has no network, and the recorded page within it no scripts. */
function Screen({ playback: { frame, size, isSkipping } }: { playback: Playback }) {
  const { replay } = useText()
  const { width, height } = size ?? { width: 16, height: 10 }
  return (
    <div className={css.screen}>
      <iframe
        ref={frame}
        className={css.frame}
        style={{ aspectRatio: `${width} / ${height}`, maxWidth: `${(60 * width) / height}vh` }}
        src={addressOf('/web/replay-frame')}
        sandbox="allow-scripts allow-same-origin"
        title={replay.title}
        tabIndex={-1}
      />
      {isSkipping && <span className={css.skipping}>{replay.skipping}</span>}
    </div>
  )
}

/** Listens for space bar and arrows within an element, and where nothing has the focus. Buttons keep the space bar for themselves. */
function useKeysOf(whole: { current: HTMLElement | null }, onKey: (key: string) => void): void {
  const latest = useRef(onKey)
  latest.current = onKey
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isHere = target === document.body || whole.current?.contains(target)
      if (!isHere || event.ctrlKey || event.metaKey || event.altKey) return
      const isMeant =
        event.key === ' ' ? !target.closest('button, input[type=checkbox]') : event.key in STEPS_MS
      if (!isMeant) return
      event.preventDefault()
      latest.current(event.key)
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [whole])
}

interface Props {
  timeline: Timeline
  atMs: number
  seek(atMs: number): void
}

/** The time axis of a recording, with its pages and errors. */
function Track({ timeline: { lengthMs, marks }, atMs, seek }: Props) {
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
