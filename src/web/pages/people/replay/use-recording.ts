import { useEffect, useState } from 'react'
import { api, type Outputs } from '../../../api/client.ts'
import { type Failure, failureOf } from '../../../api/failure.ts'
import { readSignedIn } from '../../../api/session.ts'
import { useSite } from '../../../state/site.tsx'
import type { SessionRow } from '../session-list.tsx'
import { createTimeline, type Timeline } from './timeline.ts'

/** Each answer has up to 4 MiB: recordings of real visits have a few. */
const MOST_ANSWERS = 40
/** Pages of the visit's hits that are looked through for errors. */
const MOST_HIT_PAGES = 20

interface Loaded {
  timeline: Timeline
  /** Whether the end is left out. */
  isCut: boolean
}

interface RecordingRead {
  loaded: Loaded | undefined
  /** 0 to 1, until it is loaded. */
  share: number
  failure: Failure | undefined
  again(): void
}

/** Loads all that was recorded of a visit. It may be large, so that it is not kept when the player is closed, and never read anew. */
export function useRecording({ session_id: session, started_at }: SessionRow): RecordingRead {
  const { id: siteKey } = useSite()
  const [loaded, setLoaded] = useState<Loaded>()
  const [share, setShare] = useState(0)
  const [failure, setFailure] = useState<Failure>()
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` loads it again
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const read = async () => {
      const [{ chunks, isCut }, hits] = await Promise.all([
        readChunks(siteKey, session, signal, setShare),
        readHits(siteKey, session, signal),
      ])
      setLoaded({ timeline: createTimeline(chunks, hits, started_at), isCut })
    }
    setFailure(undefined)
    read().catch((error: unknown) => {
      if (!signal.aborted) setFailure(failureOf(error))
    })
    return () => controller.abort()
  }, [siteKey, session, started_at, tries])
  return { loaded, share, failure, again: () => setTries(tries + 1) }
}

async function readChunks(
  siteKey: string,
  session: string,
  signal: AbortSignal,
  onShare: (share: number) => void,
) {
  const chunks: Outputs['stats']['replay']['data'] = []
  let cursor: string | null | undefined
  for (let answers = 0; cursor !== null && answers < MOST_ANSWERS; answers++) {
    const input = { siteKey, session, ...(cursor && { cursor }) }
    const answer = await readSignedIn(() => api.stats.replay.query(input, { signal }))
    chunks.push(...answer.data)
    onShare(Math.min(1, chunks.length / Math.max(1, answer.replay.chunks)))
    cursor = answer.next_cursor
  }
  return { chunks, isCut: cursor !== null }
}

async function readHits(siteKey: string, session: string, signal: AbortSignal) {
  const hits: Outputs['stats']['session']['data'] = []
  for (let page = 1, last = 1; page <= Math.min(last, MOST_HIT_PAGES); page++) {
    const answer = await readSignedIn(() => api.stats.session.query({ siteKey, session, page }, { signal }))
    hits.push(...answer.data)
    last = answer.meta.last_page
  }
  return hits
}
