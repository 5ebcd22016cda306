import { cut, MAX_PATH } from './limits.ts'
import { safe } from './safe.ts'
import { keptId } from './visitor-id.ts'

/** Bytes of JSON of one chunk, about; the API takes 4 MiB. */
const MAX_TEXT = 500_000
const MAX_EVENTS = 2_000
/** Bytes of JSON that may wait; with more the recording ends. */
const MAX_WAITING = 3_500_000
/** Browsers send this much while a page is closed, all requests together. */
const MAX_LAST = 60_000
const MAX_TRIES = 5
/** Time that an event waits at least: an application may show an excluded page a moment before its address changes. */
const HOLD_MS = 1_000

/** One page, from its full snapshot on. */
interface Recording {
  id: string
  /** Number of its next chunk. */
  position: number
}

interface Waiting {
  recording: Recording
  text: string
  path: string
  at: number
}

interface Chunk {
  recording: string
  position: number
  path: string
  texts: string[]
  /** The browser sends it even when the page is closed. */
  isKept?: boolean
}

/** What the service says about recording. */
export interface Settings {
  recording: boolean
  excluded_paths: string[]
}

/**
 * Sends recorded events in chunks, one after the other.
 * @param key of the site
 * @param endpoints where hits are sent
 * @param obey receives each answer; null when the recording has to end
 */
export function createSender(
  key: string | undefined,
  endpoints: string,
  obey: (settings: Settings | null) => void,
) {
  const url = `${endpoints}/replay`
  let waiting: Waiting[] = []
  let size = 0
  let recording: Recording
  let sending: Chunk | undefined
  let pageAt = Date.now()

  const headOf = (path: string, chunk?: Chunk) =>
    `${JSON.stringify({
      key,
      hostname: location.hostname,
      visitor_id: keptId(),
      path: cut(path, MAX_PATH),
      page_ms: Math.min(Math.max(Date.now() - pageAt, 0), 86_400_000),
      recording: chunk && chunk.recording,
      position: chunk && chunk.position,
    })}\n`

  const plain = (chunk: Chunk) => `${headOf(chunk.path, chunk)}[${chunk.texts}]`

  /** Takes the events of one recording and path that are old enough. */
  function take(holdMs: number, maxText: number): Chunk | undefined {
    const [first] = waiting
    const until = Date.now() - holdMs
    let count = 0
    let length = 0
    for (const event of waiting) {
      length += event.text.length
      if (event.recording !== first!.recording || event.path !== first!.path) break
      if (event.at > until || count === MAX_EVENTS) break
      if (length > maxText && (count || maxText < MAX_TEXT)) break
      count++
    }
    if (!count) return
    const texts = waiting.splice(0, count).map(({ text }) => text)
    for (const text of texts) size -= text.length
    const of = first!.recording
    return { recording: of.id, position: of.position++, path: first!.path, texts }
  }

  async function pack(chunk: Chunk): Promise<Blob> {
    const stream = new Blob([`[${chunk.texts}]`]).stream().pipeThrough(new CompressionStream('gzip'))
    const packed = await new Response(stream).blob()
    return new Blob([headOf(chunk.path, chunk), packed], { type: 'text/plain' })
  }

  async function post(body: Blob | string, chunk?: Chunk): Promise<Settings | null> {
    for (let tries = 1; ; tries++) {
      // A closed page has its requests cancelled; those that are kept may have 64 KiB together.
      const keepalive = typeof body !== 'string' && body.size < MAX_LAST / 2
      if (chunk) chunk.isKept = keepalive
      const answer = await fetch(url, { method: 'POST', body, keepalive }).catch(() => undefined)
      if (answer && answer.ok) return answer.json()
      if ((answer && answer.status !== 429 && answer.status !== 503) || tries === MAX_TRIES) return null
      const seconds = (answer && +answer.headers.get('Retry-After')!) || 2 ** tries
      if (chunk) chunk.isKept = false
      await new Promise(resolve => setTimeout(resolve, Math.min(seconds, 60) * 1_000))
    }
  }

  return {
    /** Asks whether this page may be recorded. */
    ask: (path: string) => post(headOf(path)),
    /** Begins a recording; its first event is a full snapshot. */
    begin(id: string): void {
      recording = { id, position: 0 }
    },
    /** The visitor came back to a page that was kept in memory. */
    reopen(): void {
      pageAt = Date.now()
    },
    /** @returns false when too much waits */
    add(text: string, path: string): boolean {
      waiting.push({ recording, text, path, at: Date.now() })
      size += text.length
      return size <= MAX_WAITING
    },
    /** Forgets events that were added less than a moment ago. */
    forgetLatest(): void {
      const from = Date.now() - HOLD_MS
      waiting = waiting.filter(({ at }) => at <= from)
      size = waiting.reduce((sum, { text }) => sum + text.length, 0)
    },
    forgetAll(): void {
      waiting = []
      size = 0
    },
    /** Whether a full chunk waits. */
    isFull: () => size > MAX_TEXT,
    /** Sends what waits, one chunk after the other; does nothing while it is doing that. */
    async flush(holdMs = HOLD_MS): Promise<void> {
      if (sending) return
      try {
        for (;;) {
          sending = take(holdMs, MAX_TEXT)
          if (!sending) return
          obey(await post(await pack(sending), sending))
        }
      } catch {
        obey(null)
      } finally {
        sending = undefined
      }
    },
    /** Sends what can be sent while the page is closed: the chunk that is on its way again, then the oldest events. */
    finish: safe((): void => {
      let room = MAX_LAST
      const beacon = (chunk: Chunk | undefined) => {
        if (!chunk) return false
        const body = new Blob([plain(chunk)], { type: 'text/plain' })
        room -= body.size
        return room >= 0 && navigator.sendBeacon(url, body)
      }
      if (sending && !sending.isKept && !beacon(sending)) return
      while (beacon(take(0, room / 2))) {}
    }),
  }
}
