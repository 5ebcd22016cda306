import { useSyncExternalStore } from 'react'

const AGAIN_MS = 5_000

let since: Date | undefined
let timer: ReturnType<typeof setInterval> | undefined
let running: Promise<boolean> | undefined
const listeners = new Set<() => void>()

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function set(next: Date | undefined): void {
  if ((since === undefined) === (next === undefined)) return
  since = next
  clearInterval(timer)
  if (since) timer = setInterval(() => void isReachable(), AGAIN_MS)
  for (const listener of listeners) listener()
}

/** Returns since when the service does not answer; undefined while it does. */
export const useAwaySince = (): Date | undefined => useSyncExternalStore(subscribe, awaySince)

export const awaySince = (): Date | undefined => since

/** Calls back when the service answers again. */
export function onceBack(call: () => void): () => void {
  return subscribe(() => {
    if (since === undefined) call()
  })
}

/** Pages of a proxy in front of the service are no answers. */
const isOfService = ({ ok, headers }: Response) =>
  ok || headers.get('Content-Type')?.includes('json') === true

/** Asks the service for something small. @returns whether it answered */
export function isReachable(): Promise<boolean> {
  const ask = async () => {
    const address = new URL('trpc/auth.methods', document.baseURI)
    const isThere = await fetch(address, { cache: 'no-store', credentials: 'omit' }).then(
      isOfService,
      () => false,
    )
    set(isThere ? undefined : (since ?? new Date()))
    running = undefined
    return isThere
  }
  running ??= ask()
  return running
}

/** Sends a request, and learns from it whether the service answers. One that fails is doubted first: the service is asked again. */
export async function watched(send: () => Promise<Response>): Promise<Response> {
  try {
    const answer = await send()
    if (isOfService(answer)) set(undefined)
    else void isReachable()
    return answer
  } catch (error) {
    if ((error as Error).name !== 'AbortError') void isReachable()
    throw error
  }
}

/** Follows what the browser says of its connection. */
export function watchConnection(): void {
  for (const event of ['online', 'offline']) addEventListener(event, () => void isReachable())
  if (!navigator.onLine) void isReachable()
}
