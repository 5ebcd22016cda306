import { record } from '@rrweb/record'
import { read } from './dom.ts'
import { passedTo } from './passed.ts'
import { patternsOf } from './patterns.ts'
import {
  BLOCKED,
  type Increment,
  isFramed,
  maskChanges,
  maskInput,
  maskText,
  maskValues,
  type RecordedNode,
} from './replay-masks.ts'
import { addSizes, sizeChange } from './replay-pictures.ts'
import { createSender, type Settings } from './replay-sender.ts'
import { on, safe } from './safe.ts'

// The first script loads this one when the site records sessions and this visitor is one of the sample.

const TICK_MS = 500
const SEND_MS = 5_000
/** The recording pauses after this time without activity of the visitor. */
const IDLE_MS = 300_000
/** After an excluded page, the next one is recorded when nothing has changed for this long. */
const QUIET_MS = 1_000
/** The same for a document that began with an excluded page, whose changes were not watched. */
const LATE_QUIET_MS = 2_000

interface RecordedEvent {
  type: number
  timestamp: number
  data: Increment & { href?: string; node?: RecordedNode }
}

const [FULL_SNAPSHOT, INCREMENT, META] = [2, 3, 4]
const MUTATION = 0
/** Mouse, scroll, input, touch, drag and selection. */
const ACTIVITY = [1, 2, 3, 5, 6, 12, 14]

const { options, endpoints } = passedTo(read(document, 'currentScript'))
const sender = createSender(options.key, endpoints, safe(obey))

let excludedBySite = ''
let stopRecording: (() => void) | undefined
let isRecording = false
let isOver = false
let activeAt = Date.now()
let sentAt = 0
/** Address that was checked last, and its path. */
let address: string | undefined
let path: string
let isExcludedHere: boolean
/** Set from an excluded page until the next one is shown. */
let aftermath: { isChanged: boolean; at: number; quietMs: number } | undefined

function decoded(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

/** Path without query; with `data-hash` as the pageviews have it. */
function pathOf({ pathname, hash }: Location | URL): string {
  const fragment = options.hash != null ? hash.replace(/\?.*/, '') : ''
  return (pathname + fragment).replace(/\/?#!?\/?/, '/')
}

const isExcluded = (of: string): boolean =>
  [options.exclude, excludedBySite].some(patterns => {
    const pattern = patternsOf(patterns)
    return pattern.test(of) || pattern.test(decoded(of))
  })

/** Looks at the address. Must run before anything of the page is kept. @returns whether the page is excluded */
function look(): boolean {
  if (location.href !== address) {
    address = location.href
    path = pathOf(location)
    isExcludedHere = isExcluded(path)
  }
  return isExcludedHere
}

/**
 * Cuts query and fragment off the address of the page, also where links of the page have it. In addresses of styles rrweb takes the
 * last slash of the page's for that of its folder, also one in the query.
 */
function withoutQuery(text: string): string {
  const { origin, pathname, search } = location
  const inJson = (value: string) => JSON.stringify(value).slice(1, -1)
  const plain = origin + pathname
  const full = plain + search
  let cut = text
  for (let end = full.length; end > plain.length; end = full.lastIndexOf('/', end - 2) + 1)
    cut = cut.split(inJson(full.slice(0, end))).join(inJson(end < full.length ? `${plain}/` : plain))
  return cut
}

/** Looks whether the page is excluded, and ends the recording then. @returns whether it is */
function leave(): boolean {
  const isOut = look()
  if (isOut && !aftermath && !isOver) {
    pause()
    sender.forgetLatest()
    watchAftermath()
  }
  return isOut
}

function emit(event: RecordedEvent): void {
  if (!isRecording) return
  if (leave()) return
  const { type, data } = event
  const nodeOf = (id: number) => record.mirror.getNode(id)
  if (type === INCREMENT && isFramed(data, nodeOf)) return
  if (type === INCREMENT && ACTIVITY.includes(data.source!)) activeAt = Date.now()
  else if (Date.now() - activeAt > IDLE_MS) {
    pause()
    return
  }
  if (type === META) data.href = location.origin + location.pathname
  if (type === FULL_SNAPSHOT) {
    maskValues(data.node!, nodeOf)
    addSizes(data.node!, nodeOf)
  }
  if (type === INCREMENT && data.source === MUTATION) {
    for (const { node } of data.adds || []) {
      maskValues(node, nodeOf)
      addSizes(node, nodeOf)
    }
    maskChanges(data, nodeOf)
  }
  if (!sender.add(withoutQuery(JSON.stringify(event)), path)) end()
}

/** Records the size of a picture that was loaded after it was recorded. */
function recordSize({ target }: Event): void {
  const data = isRecording && sizeChange(target as Node, node => record.mirror.getId(node))
  if (data) emit({ type: INCREMENT, timestamp: Date.now(), data })
}

function begin(): void {
  if (isRecording || isOver || aftermath || leave()) return
  isRecording = true
  activeAt = Date.now()
  // Also where `crypto.randomUUID` is missing: see visitor.ts.
  sender.begin(URL.createObjectURL(new Blob()).slice(-36))
  const stop = record({
    emit: safe(emit) as never,
    blockSelector: BLOCKED,
    maskTextSelector: '*',
    maskTextFn: maskText as never,
    // By the name of the element: fields of every type, hidden ones too.
    maskInputOptions: { input: true, textarea: true, select: true, password: true } as object,
    maskInputFn: maskInput as never,
    sampling: { input: 'last', scroll: 150, media: 800 },
    slimDOMOptions: 'all',
    recordCanvas: false,
    recordCrossOriginIframes: false,
    collectFonts: false,
    inlineImages: false,
    errorHandler: () => true,
  })
  stopRecording = stop
  if (!isRecording) pause()
}

/** Stops recording until `begin`. What is recorded already is sent. */
function pause(): void {
  isRecording = false
  if (stopRecording) stopRecording()
  stopRecording = undefined
}

/** Stops recording for good. */
function end(): void {
  isOver = true
  pause()
  sender.forgetAll()
  clearInterval(timer)
}

function obey(settings: Settings | null): void {
  if (!settings || !settings.recording) {
    end()
    return
  }
  const patterns = settings.excluded_paths.join()
  if (patterns === excludedBySite) return
  excludedBySite = patterns
  address = undefined
}

/** Waits until the page is shown that follows an excluded one: something went away since the address changed, and then it was quiet. */
function watchAftermath(quietMs = QUIET_MS, isChanged = false): void {
  aftermath = { isChanged, at: Date.now(), quietMs }
  const observer = new MutationObserver(
    safe(changes => {
      if (!aftermath) return
      aftermath.at = Date.now()
      if (look()) aftermath.isChanged = false
      else if (changes.some(({ type, removedNodes }) => type === 'characterData' || removedNodes.length))
        aftermath.isChanged = true
    }),
  )
  observer.observe(document, { childList: true, characterData: true, subtree: true })
  stopWatching = () => observer.disconnect()
}
let stopWatching = () => {}

function tick(): void {
  const isOut = leave()
  if (aftermath && isOut) aftermath.isChanged = false
  if (aftermath && !isOut && aftermath.isChanged && Date.now() - aftermath.at >= aftermath.quietMs) {
    stopWatching()
    aftermath = undefined
    begin()
  }
  if (sender.isFull() || Date.now() - sentAt >= SEND_MS) {
    sentAt = Date.now()
    void sender.flush()
  }
}

let timer: ReturnType<typeof setInterval> | undefined

/** Asks the service, then records. */
async function start(): Promise<void> {
  look()
  const settings = await sender.ask(path)
  obey(settings)
  if (isOver) return
  const [navigation] = performance.getEntriesByType('navigation')
  if (!leave() && navigation && isExcluded(pathOf(new URL(navigation.name))))
    watchAftermath(LATE_QUIET_MS, true)
  begin()
  timer = setInterval(safe(tick), TICK_MS)
  on('pointermove pointerdown keydown scroll', begin)
  // Not on the window: it hears of no picture.
  document.addEventListener('load', safe(recordSize), true)
  on('visibilitychange', () => {
    leave()
    if (read(document, 'hidden')) void sender.flush(0)
  })
  on('pagehide', () => {
    leave()
    sender.finish()
  })
  on<PageTransitionEvent>('pageshow', event => {
    if (!event.persisted || isOver) return
    sender.reopen()
    pause()
    begin()
  })
}

if (typeof CompressionStream === 'function') start().catch(() => {})
