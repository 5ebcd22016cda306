import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'
import type { CountName } from '../counts/counter.ts'
import type { Question } from '../counts/question.ts'
import type { Refusal } from '../counts/refused.ts'

// Messages between processes of this service: the length in four bytes, then a structured clone.

const LENGTH_BYTES = 4

/** Sends a message. */
export function sendMessage(socket: Socket, message: unknown): void {
  const body = serialize(message)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(body.length)
  socket.write(Buffer.concat([length, body]))
}

/** Calls a function with each message that comes. */
export function onMessages<Message>(socket: Socket, take: (message: Message) => void): void {
  let parts: Buffer[] = []
  let size = 0
  let wanted = LENGTH_BYTES
  socket.on('data', part => {
    parts.push(part)
    size += part.length
    while (size >= wanted) {
      const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
      parts = [all]
      const end = LENGTH_BYTES + all.readUInt32BE(0)
      if (all.length < end) {
        wanted = end
        return
      }
      take(deserialize(all.subarray(LENGTH_BYTES, end)))
      const rest = all.subarray(end)
      parts = [rest]
      size = rest.length
      wanted = LENGTH_BYTES
    }
  })
}

/** How long a question waits for its answer: less than the ten seconds that a caller has. */
export const ANSWER_MS = 8_000

/** A question of an HTTP worker to the columns process. */
export interface Request {
  id: number
  name: CountName
  siteNo: number
  question: Question
  asked: unknown
}

export interface Answer {
  /** That of the request. */
  id: number
  counted?: unknown
  /** Why nothing is counted. */
  refusal?: Refusal
  /** What went wrong. */
  failure?: string
}
