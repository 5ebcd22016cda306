import { senderCredentials, senderHeaders } from './client.ts'
import { AnswerError } from './failure.ts'
import { changeSignedIn } from './session.ts'

/** A file over a limit of requests waits; so does one on a connection that was lost. */
const ATTEMPTS = 5
const PAUSE_MS = 2_000

/**
 * Sends the parts of a file to an import, one after the other.
 * @param path of the import in the API: `sites/example.com/imports/…`
 * @throws Error with what the service said, and the reason of the signal
 */
export async function uploadParts(
  path: string,
  file: Blob,
  { part_bytes: size, missing_parts: missing }: { part_bytes: number; missing_parts: number[] },
  signal: AbortSignal,
  onPart: (done: number) => void,
): Promise<void> {
  for (const [index, number] of missing.entries()) {
    const part = file.slice(number * size, (number + 1) * size)
    await changeSignedIn(() => sendPart(`${path}/parts/${number}`, part, signal))
    onPart((index + 1) / missing.length)
  }
}

async function sendPart(path: string, part: Blob, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(new URL(`api/${path}`, document.baseURI), {
      method: 'PUT',
      body: part,
      headers: { ...senderHeaders(), 'Content-Type': 'application/octet-stream' },
      credentials: senderCredentials(),
      signal,
    }).catch((error: unknown) => {
      if (signal.aborted || attempt >= ATTEMPTS) throw error
      return undefined
    })
    if (answer?.ok) return
    const mayPass = !answer || answer.status === 429 || answer.status === 503
    if (answer && (!mayPass || attempt >= ATTEMPTS)) {
      throw new AnswerError(((await answer.json()) as { message: string }).message, answer.status)
    }
    const seconds = Number(answer?.headers.get('Retry-After') ?? 0)
    await new Promise(resolve => setTimeout(resolve, Math.max(PAUSE_MS, seconds * 1_000)))
    signal.throwIfAborted()
  }
}
