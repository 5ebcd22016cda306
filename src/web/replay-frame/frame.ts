// Plays one recording at a time. It runs in a frame of its own, whose policy forbids every request; the recorded page is made in a frame
// within, where no script runs. src/http/web/replay-frame.ts serves it.

import { Replayer } from '@rrweb/replay'
import rrwebStyle from '@rrweb/replay/dist/style.css'
import { createCleaner } from './clean.ts'
import ownStyle from './frame.css'
import type { FromFrame, OfRecording, ToFrame } from './messages.ts'
import { LEFT_OUT_MARK } from './tags.ts'

type ReplayEvent = ConstructorParameters<typeof Replayer>[0][number]

/** How often the page is told the time, in milliseconds. */
const TICK_MS = 100
/** Time without input of the visitor that is skipped. */
const INACTIVE_MS = 3_000

document.head.append(Object.assign(document.createElement('style'), { textContent: rrwebStyle + ownStyle }))
const stage = document.getElementById('stage')!
let replayer: Replayer | undefined
/** Number of the recording. */
let shownNo = 0
let isPlaying = false
let size = { width: 0, height: 0 }

const send = (message: FromFrame): void => parent.postMessage(message, location.origin)
const tell = (message: OfRecording): void => send({ ...message, of: shownNo })

function show({ of, events, at, isPlaying: plays, speed, skip }: Extract<ToFrame, { kind: 'show' }>): void {
  replayer?.destroy()
  replayer = undefined
  shownNo = of
  const clean = createCleaner()
  const cleaned = events.map(clean).filter(event => event !== undefined) as ReplayEvent[]
  if (cleaned.length < 2) {
    tell({ kind: 'damaged' })
    return
  }
  const shown = new Replayer(cleaned, {
    root: stage,
    speed,
    skipInactive: skip,
    inactivePeriodThreshold: INACTIVE_MS,
    mouseTail: { duration: 500, lineCap: 'round', lineWidth: 3, strokeStyle: '#0e7490' },
    insertStyleRules: [
      `[${LEFT_OUT_MARK}] { background: #8883 }`,
      // Browsers show them where no script runs.
      'video::-webkit-media-controls { display: none !important }',
    ],
    // The focus stays with the buttons of the page.
    triggerFocus: false,
    showWarning: false,
    showDebug: false,
    logger: { log() {}, warn() {} },
  })
  shown.iframe.inert = true
  shown.iframe.tabIndex = -1
  shown.on('resize', dimension => resize(dimension as typeof size))
  shown.on('skip-start', () => tell({ kind: 'skipping', isSkipping: true }))
  shown.on('skip-end', () => tell({ kind: 'skipping', isSkipping: false }))
  shown.on('finish', () => {
    if (replayer === shown && isPlaying) end()
  })
  replayer = shown
  seek(at, plays)
}

function seek(at: number, plays: boolean): void {
  isPlaying = plays
  if (plays) replayer?.play(at)
  else replayer?.pause(at)
}

function end(): void {
  isPlaying = false
  tell({ kind: 'end' })
}

/** Shows the recorded page as large as there is room, in the middle. */
function resize(next = size): void {
  size = next
  if (!replayer || size.width === 0) return
  const { clientWidth, clientHeight } = document.documentElement
  const scale = Math.min(clientWidth / size.width, clientHeight / size.height)
  const [x, y] = [(clientWidth - size.width * scale) / 2, (clientHeight - size.height * scale) / 2]
  replayer.wrapper.style.transform = `translate(${Math.max(x, 0)}px, ${Math.max(y, 0)}px) scale(${scale})`
  replayer.wrapper.style.width = `${size.width}px`
  tell({ kind: 'size', ...size })
}

addEventListener('message', ({ source, origin, data }: MessageEvent<ToFrame>) => {
  if (source !== parent || origin !== location.origin) return
  if (data.kind === 'show') show(data)
  else if (data.kind === 'seek') seek(data.at, data.isPlaying)
  else replayer?.setConfig({ speed: data.speed, skipInactive: data.skip })
})
addEventListener('resize', () => resize())
// A recording may have anything: what rrweb throws at it ends a step, and not the player.
addEventListener('error', event => {
  event.preventDefault()
  tell({ kind: 'damaged' })
})
setInterval(() => {
  if (replayer && isPlaying) tell({ kind: 'time', at: replayer.getCurrentTime() })
}, TICK_MS)
send({ kind: 'ready' })
