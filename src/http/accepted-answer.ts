import type { ServerResponse } from 'node:http'
import { type RateLimitDecision, rateHeaders } from '../limits/rate-limit.ts'
import { CORS_LINES, linesOf } from './hit-answers.ts'
import { KEEP_ALIVE_MS } from './server.ts'

// The answer 202 to a hit. For each answer Node checks and joins thirteen headers, which takes 3 µs of the 60 µs of CPU that a hit costs a
// worker. Most of their text is always the same, so it is made once.

/** Where Node keeps the text of a head that is still to be sent: null before, and no part of its documented interface. */
interface Head {
  _header: string | null
}

const BEGIN = `HTTP/1.1 202 Accepted\r\n${textOf(CORS_LINES)}X-Request-Id: `

/**
 * Answers 202 without a body. Node writes the head itself where it is not the usual one: a connection that ends with this answer, or
 * headers that were set before.
 * @param about names and values alternating; no value may come from the sender, because only Node checks for line breaks
 */
export function answerAccepted(
  response: ServerResponse,
  requestId: string,
  decision: RateLimitDecision | undefined,
  about: string[],
): void {
  const limits = decision ? linesOf(rateHeaders(decision)) : []
  const head = response as unknown as Head
  if (head._header === null && response.shouldKeepAlive && response.getHeaderNames().length === 0) {
    response.statusCode = 202
    head._header = `${BEGIN}${requestId}\r\n${textOf(limits)}${textOf(about)}Content-Length: 0\r\n${endAt(Date.now())}`
  } else {
    const lines = [...CORS_LINES, 'X-Request-Id', requestId, ...limits, ...about, 'Content-Length', '0']
    response.writeHead(202, lines)
  }
  response.end()
}

let end = { second: 0, text: '' }

/** Returns the lines that Node adds to the head of a connection that stays open. */
function endAt(now: number): string {
  const second = Math.floor(now / 1_000)
  if (end.second !== second) {
    const date = new Date(now).toUTCString()
    const seconds = KEEP_ALIVE_MS / 1_000
    end = {
      second,
      text: `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`,
    }
  }
  return end.text
}

function textOf(lines: string[]): string {
  let text = ''
  for (let index = 0; index < lines.length; index += 2) text += `${lines[index]}: ${lines[index + 1]}\r\n`
  return text
}
