import { connect, type Socket } from 'node:net'
import { type Asked, type Counted, type Counter, type CountName, isOfMoney } from '../counts/counter.ts'
import { TooCostly } from '../counts/shared/match-texts.ts'
import { type Answer, onMessages, type Request, sendMessage } from './messages.ts'

/** Pause before the columns process is looked for again. */
const PAUSE_MS = 500
/** Longest wait for an answer. The caller has ten seconds: other sources must have time to answer, too. */
const PATIENCE_MS = 4_000

/**
 * Returns a counter that asks the columns process of this host. While that does not run, it counts nothing.
 * @param path of its socket
 */
export function createAskingCounter(path: string): Counter & { close(): void } {
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  let last = 0
  let socket: Socket | undefined
  let pausedUntil = 0

  function connected(): Socket | undefined {
    if (socket || performance.now() < pausedUntil) return socket
    const opened = connect(path)
    opened.unref()
    opened.on('error', () => {})
    opened.on('close', () => {
      socket = undefined
      pausedUntil = performance.now() + PAUSE_MS
      for (const settle of waiting.values()) settle(undefined)
      waiting.clear()
    })
    onMessages<Answer>(opened, answer => {
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
    })
    socket = opened
    return socket
  }

  return {
    async count<Name extends CountName>(
      name: Name,
      siteNo: number,
      question: Request['question'],
      asked: Asked<Name>,
    ) {
      // Money is not kept yet: each question would read the ledger with the sessions of the site. Other sources are as quick.
      const to = isOfMoney(name) ? undefined : connected()
      if (!to) return undefined
      const id = ++last
      const answer = await new Promise<Answer | undefined>(resolve => {
        const timer = setTimeout(() => {
          waiting.delete(id)
          resolve(undefined)
        }, PATIENCE_MS)
        timer.unref()
        waiting.set(id, found => {
          clearTimeout(timer)
          resolve(found)
        })
        sendMessage(to, { id, name, siteNo, question, asked } satisfies Request)
      })
      if (answer?.tooCostly) throw new TooCostly(answer.tooCostly.field, answer.tooCostly.value)
      return answer?.counted as Counted<Name> | undefined
    },
    close: () => socket?.destroy(),
  }
}
