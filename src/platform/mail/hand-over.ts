import { Readable } from 'node:stream'
import type { Services } from '../services.ts'
import { library } from './library.ts'
import { type Mail, messageOf } from './message.ts'

/** What became of a mail that a job handed to the mail server. */
export type HandOver =
  | { outcome: 'taken' }
  /** The server has not taken it: it said so, or it did not get the text. Another attempt may succeed. */
  | { outcome: 'failed'; problem: 'unreachable' | 'refused'; response: string }
  /** The server says that it will never take this mail for this address. */
  | { outcome: 'rejected'; problem: 'rejected'; response: string }
  /** The connection was lost after the text was sent, before the answer: the server may have taken it. */
  | { outcome: 'uncertain'; problem: 'uncertain'; response: string }

/** A process that is told to stop waits for 8 s. */
const PATIENCE_MS = 7_000
const SLOW_STEP_MS = 5_000
const MAX_RESPONSE = 200

/**
 * Hands one mail to the server of `SMTP_URL`, on a connection of its own: a pool would send a mail again by itself when a connection is lost.
 * Nothing is logged about the address.
 */
export async function handOver(
  { config, log }: Pick<Services, 'config' | 'log'>,
  mail: Mail,
): Promise<HandOver> {
  if (!config.mail) return { outcome: 'failed', problem: 'unreachable', response: '' }
  let hasBegun = false
  const transport = library().createTransport({
    url: config.mail.url,
    connectionTimeout: SLOW_STEP_MS,
    greetingTimeout: SLOW_STEP_MS,
    socketTimeout: SLOW_STEP_MS,
    dnsTimeout: SLOW_STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  transport.use('stream', ({ message }, done) => {
    const create = message.createReadStream.bind(message)
    // The first byte is asked for when the server has accepted sender and recipient.
    message.createReadStream = () =>
      Readable.from(
        (async function* () {
          hasBegun = true
          yield* create()
        })(),
      )
    done()
  })
  try {
    await transport.sendMail({
      ...messageOf(config.mail, mail),
      signal: AbortSignal.timeout(PATIENCE_MS),
    } as Parameters<typeof transport.sendMail>[0])
    return { outcome: 'taken' }
  } catch (error) {
    const failure = outcomeOf(error as SmtpError, hasBegun)
    const { code, responseCode, command } = error as SmtpError
    log.warn({ code, responseCode, command, outcome: failure.outcome }, 'a mail could not be handed over')
    return failure
  }
}

interface SmtpError extends Error {
  code?: string
  responseCode?: number
  response?: string
  command?: string
}

/** Commands whose refusal is about this mail and this address; any other one is about the connection or the sender. */
const ABOUT_THE_MAIL = /^(RCPT TO|DATA)/

function outcomeOf(error: SmtpError, hasBegun: boolean): HandOver {
  const { responseCode, command = '' } = error
  const response = clean(error.response ?? error.message)
  if (responseCode === undefined) {
    return hasBegun
      ? { outcome: 'uncertain', problem: 'uncertain', response }
      : { outcome: 'failed', problem: 'unreachable', response }
  }
  return responseCode >= 500 && ABOUT_THE_MAIL.test(command)
    ? { outcome: 'rejected', problem: 'rejected', response }
    : { outcome: 'failed', problem: 'refused', response }
}

/** Managers see it. */
const clean = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_RESPONSE)
    .toWellFormed()
