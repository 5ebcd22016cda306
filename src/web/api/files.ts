import { senderCredentials, senderHeaders } from './client.ts'
import { AnswerError } from './failure.ts'
import { changeSignedIn } from './session.ts'

/** A value of a query parameter; operators of filters are objects: `{contains: ['/a']}`. */
type Parameter = string | number | boolean | readonly string[] | { [operator: string]: unknown } | undefined

/**
 * Saves an answer of the API as a file.
 * @param path of the API, such as `sites/example.com/stats/breakdown`
 * @param name of the file
 * @param accept content type that is asked for; by default that of the endpoint
 * @throws Error with what the service said
 */
export async function download(
  path: string,
  query: Record<string, unknown>,
  name: string,
  accept?: string,
): Promise<void> {
  const address = new URL(`api/${path}`, document.baseURI)
  for (const [key, value] of Object.entries(query)) append(address.searchParams, key, value as Parameter)
  const headers = { ...senderHeaders(), ...(accept && { Accept: accept }) }
  const answer = await changeSignedIn(async () => {
    const given = await fetch(address, { headers, credentials: senderCredentials() })
    if (!given.ok) throw new AnswerError(((await given.json()) as { message: string }).message, given.status)
    return given
  })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

function append(params: URLSearchParams, key: string, value: Parameter): void {
  if (value === undefined) return
  if (Array.isArray(value)) for (const each of value) params.append(key, each)
  else if (typeof value === 'object') {
    for (const [operator, values] of Object.entries(value)) {
      append(params, operator === 'is' ? key : `${key}[${operator}]`, values as Parameter)
    }
  } else params.append(key, String(value))
}

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
