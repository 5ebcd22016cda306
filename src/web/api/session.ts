import { useSyncExternalStore } from 'react'
import { failureOf } from './failure.ts'

/** What a person is asked for over the page: to sign in again, or to prove again who they are. */
export type Question = 'sign_in' | 'prove'

/** Tells those who wait whether the person has done it. */
type Waiter = (isDone: boolean) => void

let isMember = false
let question: Question | undefined
let waiters: Waiter[] = []
/** Whether the person closed the dialog for signing in: reads then fail, instead of opening it every few seconds. */
let isDismissed = false
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

/** Says whether a signed-in person uses the page, who can be asked. */
export function setMember(is: boolean): void {
  isMember = is
}

/** What the person is to be asked for; undefined for nothing. */
export const useQuestion = (): Question | undefined =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => question,
  )

/** Asks the person. Signing in is a proof, too, so that it takes the place of the other question. @returns whether they did it */
export function askFor(asked: Question): Promise<boolean> {
  if (!isMember) return Promise.resolve(false)
  const answer = new Promise<boolean>(resolve => {
    waiters = [...waiters, resolve]
  })
  if (question !== 'sign_in' && question !== asked) {
    question = asked
    tell()
  }
  return answer
}

/** Ends the question: requests that failed are sent again, or fail. */
export function endQuestion(isDone: boolean): void {
  const waiting = waiters
  if (isDone || question === 'sign_in') isDismissed = !isDone
  waiters = []
  question = undefined
  tell()
  for (const waiter of waiting) waiter(isDone)
}

/** Returns what the person has to do before a request that failed can be sent again. */
function questionOf(error: unknown): Question | undefined {
  const { kind, code } = failureOf(error)
  if (code === 'proof_required') return 'prove'
  return kind === 'signed_out' ? 'sign_in' : undefined
}

/** Reads; when the session has ended, again after the person has signed in. */
export async function readSignedIn<Data>(read: () => Promise<Data>): Promise<Data> {
  try {
    return await read()
  } catch (error) {
    const asked = questionOf(error)
    if (!asked || isDismissed || !(await askFor(asked))) throw error
    return read()
  }
}

/**
 * Changes something; when the session has ended, or the change needs a proof of who the person is, again after the person has signed in or proved
 * it. What is sent to do so is itself such a change, and not repeated.
 */
export async function changeSignedIn<Output>(change: () => Promise<Output>): Promise<Output> {
  const isAnswer = question !== undefined
  try {
    return await change()
  } catch (error) {
    const asked = questionOf(error)
    // A session that has ended meanwhile takes no proof.
    if (isAnswer && asked === 'sign_in' && question === 'prove') void askFor(asked)
    if (!asked || isAnswer || !(await askFor(asked))) throw error
    return change()
  }
}
