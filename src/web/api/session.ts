import { useSyncExternalStore } from 'react'
import { failureOf } from './failure.ts'

/** Tells those who wait whether the person has signed in again. */
type Waiter = (isSignedIn: boolean) => void

let isMember = false
/** Who waits for the person to sign in again; undefined while nobody is asked to. */
let waiters: Waiter[] | undefined
/** Whether the person closed the dialog: reads then fail, instead of opening it every few seconds. */
let isDismissed = false
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

/** Says whether a signed-in person uses the page, who can be asked to sign in again. */
export function setMember(is: boolean): void {
  isMember = is
}

/** Whether the person is to be asked to sign in again. */
export const useSessionEnd = (): boolean =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => waiters !== undefined,
  )

/** Asks the person to sign in again. @returns whether they did */
export function askToSignIn(): Promise<boolean> {
  if (!isMember) return Promise.resolve(false)
  const isFirst = waiters === undefined
  const answer = new Promise<boolean>(resolve => {
    waiters = [...(waiters ?? []), resolve]
  })
  if (isFirst) tell()
  return answer
}

/** Ends the question: requests that failed are sent again, or fail. */
export function endQuestion(isSignedIn: boolean): void {
  const waiting = waiters ?? []
  waiters = undefined
  isDismissed = !isSignedIn
  tell()
  for (const waiter of waiting) waiter(isSignedIn)
}

const hasEnded = (error: unknown) => failureOf(error).kind === 'signed_out'

/** Reads; when the session has ended, again after the person has signed in. */
export async function readSignedIn<Data>(read: () => Promise<Data>): Promise<Data> {
  try {
    return await read()
  } catch (error) {
    if (!hasEnded(error) || isDismissed || !(await askToSignIn())) throw error
    return read()
  }
}

/** Changes something; when the session has ended, after the person has signed in. Signing in is itself such a change, and not repeated. */
export async function changeSignedIn<Output>(change: () => Promise<Output>): Promise<Output> {
  const isSigningIn = waiters !== undefined
  try {
    return await change()
  } catch (error) {
    if (!hasEnded(error) || isSigningIn || !(await askToSignIn())) throw error
    return change()
  }
}
