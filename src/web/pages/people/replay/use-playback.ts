import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { FromFrame, ToFrame } from '../../../replay-frame/messages.ts'
import { useAddress } from '../../../state/address.ts'
import type { Timeline } from './timeline.ts'

export const SPEEDS = [1, 2, 4, 8] as const
export type Speed = (typeof SPEEDS)[number]

/** How often the address follows while the recording is playing. */
const WRITE_MS = 1_000

export interface Playback {
  frame: RefObject<HTMLIFrameElement | null>
  /** On the axis of the timeline. */
  atMs: number
  isPlaying: boolean
  isSkipping: boolean
  isDamaged: boolean
  /** Of the recorded page; undefined until it is there. */
  size: { width: number; height: number } | undefined
  speed: Speed
  skip: boolean
  setSpeed(speed: Speed): void
  setSkip(skip: boolean): void
  /** Leads to a moment; it plays on, or stands still, as before. */
  seek(atMs: number): void
  toggle(): void
}

/** Plays a timeline in the frame. The moment is in the address as seconds since the visit began. */
export function usePlayback(timeline: Timeline): Playback {
  const frame = useRef<HTMLIFrameElement>(null)
  const { params, change } = useAddress()
  const asked = params.get('at')
  /** What this player wrote into the address itself. */
  const written = useRef<string>(undefined)
  const writtenAt = useRef(0)
  /** Number of the recording that the frame has. */
  const shown = useRef<number>(undefined)
  const isReady = useRef(false)
  const [state, setState] = useState({ atMs: 0, isPlaying: false })
  const latest = useRef(state)
  const [speed, setSpeed] = useState<Speed>(1)
  const [skip, setSkip] = useState(true)
  const [size, setSize] = useState<Playback['size']>()
  const [isSkipping, setSkipping] = useState(false)
  const [isDamaged, setDamaged] = useState(false)
  const options = useRef({ speed, skip })
  options.current = { speed, skip }

  const update = useCallback((next: typeof state) => {
    latest.current = next
    setState(next)
  }, [])
  const post = useCallback((message: ToFrame) => {
    frame.current?.contentWindow?.postMessage(message, location.origin)
  }, [])
  const write = useRef((_atMs: number) => {})
  write.current = atMs => {
    const at = String(Math.floor(timeline.toVisit(atMs) / 1_000))
    written.current = at
    writtenAt.current = performance.now()
    if (at !== asked) change({ at }, { replace: true })
  }

  const go = useCallback(
    (moment: number, isPlaying: boolean) => {
      const atMs = Math.min(Math.max(moment, 0), timeline.lengthMs)
      update({ atMs, isPlaying })
      setSkipping(false)
      if (!isReady.current) return
      const index = timeline.indexAt(atMs)
      const { events, offsetMs } = timeline.recordings[index]!
      const at = atMs - offsetMs
      if (shown.current === index) post({ kind: 'seek', at, isPlaying })
      else post({ kind: 'show', of: index, events, at, isPlaying, ...options.current })
      shown.current = index
    },
    [timeline, update, post],
  )

  // From the beginning it plays; a moment that was chosen stands still.
  useEffect(() => {
    if (asked !== null && asked !== written.current) go(momentOf(asked, timeline), asked === '0')
    written.current = asked ?? undefined
  }, [asked, timeline, go])

  useEffect(() => post({ kind: 'set', speed, skip }), [post, speed, skip])

  useEffect(() => {
    const listen = ({ source, origin, data }: MessageEvent<FromFrame>) => {
      if (source !== frame.current?.contentWindow || origin !== location.origin) return
      if (data.kind === 'ready') {
        isReady.current = true
        shown.current = undefined
        go(latest.current.atMs, latest.current.isPlaying)
      } else if (data.of !== shown.current) return
      else if (data.kind === 'size') setSize({ width: data.width, height: data.height })
      else if (data.kind === 'skipping') setSkipping(data.isSkipping)
      else if (data.kind === 'damaged') setDamaged(true)
      else if (data.kind === 'time') follow(data.of, data.at)
      else endOf(data.of)
    }
    const follow = (index: number, at: number) => {
      if (!latest.current.isPlaying) return
      const { offsetMs, lengthMs } = timeline.recordings[index]!
      const atMs = offsetMs + Math.min(Math.max(at, 0), lengthMs)
      update({ atMs, isPlaying: true })
      if (performance.now() - writtenAt.current > WRITE_MS) write.current(atMs)
    }
    const endOf = (index: number) => {
      const next = timeline.recordings[index + 1]
      if (next) go(next.offsetMs, latest.current.isPlaying)
      else {
        update({ atMs: timeline.lengthMs, isPlaying: false })
        write.current(timeline.lengthMs)
      }
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [timeline, go, update])

  return {
    ...{ frame, ...state, isSkipping, isDamaged, size, speed, skip, setSpeed, setSkip },
    seek(atMs) {
      go(atMs, state.isPlaying)
      write.current(latest.current.atMs)
    },
    toggle() {
      const isAtEnd = state.atMs >= timeline.lengthMs
      go(isAtEnd && !state.isPlaying ? 0 : state.atMs, !state.isPlaying)
      write.current(latest.current.atMs)
    },
  }
}

function momentOf(asked: string, timeline: Timeline): number {
  const seconds = Number(asked)
  return Number.isFinite(seconds) && seconds > 0 ? timeline.fromVisit(seconds * 1_000) : 0
}
