import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { isCanceled } from '../../platform/db/database-errors.ts'
import { asAppError } from '../../platform/runtime/failures.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Asked, Counter } from '../counts/counter.ts'
import { CountRefused } from '../counts/refused.ts'
import { type Answer, onMessages, type Request, sendMessage } from './messages.ts'

/** Neither filters nor the range decide how long the rows of a day take. */
const TOO_SLOW = 'The database took too long to give the hits of this range; try again shortly'

/**
 * Answers the questions of the HTTP workers of this host.
 * @param path of the socket; one that a killed process has left is replaced
 */
export async function serveCounter(path: string, counter: Counter, log: Log): Promise<Server> {
  const answerTo = async ({ id, name, siteNo, question, asked }: Request): Promise<Answer> => {
    try {
      return { id, counted: await counter.count(name, siteNo, question, asked as Asked<typeof name>) }
    } catch (error) {
      if (error instanceof CountRefused) return { id, refusal: error.refusal }
      const { code, message } = asAppError(error)
      if (code === 'unavailable') {
        log.warn({ error, siteNo, count: name }, 'rows of columns could not be read')
        return { id, refusal: { why: code, message: isCanceled(error) ? TOO_SLOW : message } }
      }
      log.error({ error, siteNo, count: name }, 'a count failed')
      return { id, failure: `count ${name} failed: ${error}` }
    }
  }
  rmSync(path, { force: true })
  const server = createServer(socket => {
    socket.on('error', () => socket.destroy())
    onMessages<Request>(socket, request => {
      void answerTo(request).then(answer => {
        if (!socket.destroyed) sendMessage(socket, answer)
      })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return server
}
