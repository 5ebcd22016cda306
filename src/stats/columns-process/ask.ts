import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asked, Counted, Counter, CountName } from '../counts/counter.ts'
import { CountRefused } from '../counts/refused.ts'
import { ANSWER_MS, type Answer, onMessages, type Request, sendMessage } from './messages.ts'

/** Pause before the columns process is looked for again. */
const PAUSE_MS = 100

/** The share that is done is unknown. */
const notYet = () => new CountRefused({ why: 'preparing', share: 0 })
const notThere = () =>
  new CountRefused({
    why: 'unavailable',
    message: 'The process that counts over columns does not answer; its log lines have the role columns',
  })

/**
 * Returns a counter that asks the columns process of this host, and waits for it while it starts.
 * @param path of its socket
 */
export function createAskingCounter(path: string): Counter & { close(): void } {
  /** @param answer undefined when the process has ended */
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  let last = 0
  let socket: Socket | undefined

  function connected(): Socket {
    if (socket) return socket
    const opened = connect(path)
    opened.unref()
    opened.on('error', () => {})
    opened.on('close', () => {
      socket = undefined
      for (const settle of waiting.values()) settle(undefined)
      waiting.clear()
    })
    onMessages<Answer>(opened, answer => {
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
    })
    socket = opened
    return opened
  }

  /** @throws CountRefused at the deadline */
  function ask(question: Omit<Request, 'id'>, deadline: number): Promise<Answer | undefined> {
    const id = ++last
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id)
        reject(socket && !socket.connecting ? notYet() : notThere())
      }, deadline - performance.now())
      timer.unref()
      waiting.set(id, answer => {
        clearTimeout(timer)
        resolve(answer)
      })
      const asked = connected()
      // Questions of one read are sent together.
      asked.cork()
      sendMessage(asked, { id, ...question } satisfies Request)
      process.nextTick(() => asked.uncork())
    })
  }

  return {
    async count<Name extends CountName>(
      name: Name,
      siteNo: number,
      question: Request['question'],
      asked: Asked<Name>,
    ) {
      const deadline = performance.now() + ANSWER_MS
      for (;;) {
        const answer = await ask({ name, siteNo, question, asked }, deadline)
        if (answer?.refusal) throw new CountRefused(answer.refusal)
        if (answer?.failure !== undefined) throw new Error(answer.failure)
        if (answer) return answer.counted as Counted<Name>
        await pause(PAUSE_MS)
      }
    },
    close: () => socket?.destroy(),
  }
}
