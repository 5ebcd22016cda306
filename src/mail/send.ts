import { createRequire } from 'node:module'
import type { Config } from '../config.ts'
import { withDeadline } from '../lib/deadline.ts'
import type { Services } from '../services.ts'

/** Longest time that a request waits for the mail server; shorter than the deadline of a procedure. */
const PATIENCE_MS = 6_000
const SLOW_STEP_MS = 5_000
/** An open connection keeps the process alive. */
const IDLE_MS = 2_000

export interface Mail {
  /** One address, without a name. */
  to: string
  subject: string
  text: string
  html?: string
}

type MailConfig = NonNullable<Config['mail']>

const transports = new WeakMap<MailConfig, ReturnType<typeof connect>>()

/** Loads the package at its first use, so that processes start 50 ms earlier. */
const library = (): typeof import('nodemailer') => createRequire(import.meta.url)('nodemailer')

const connect = ({ url }: MailConfig) =>
  library().createTransport({
    url,
    pool: true,
    maxConnections: 2,
    maxRequeues: 1,
    idleTimeout: IDLE_MS,
    connectionTimeout: SLOW_STEP_MS,
    greetingTimeout: SLOW_STEP_MS,
    socketTimeout: SLOW_STEP_MS,
    dnsTimeout: SLOW_STEP_MS,
    // A mail is made of the given texts alone.
    disableFileAccess: true,
    disableUrlAccess: true,
  })

/**
 * Sends a mail through the server of `SMTP_URL`. Without one, nothing is sent. A failure is logged without the address and the text.
 * @returns whether the mail server has taken it
 */
export async function sendMail(
  { config, log }: Pick<Services, 'config' | 'log'>,
  { to, subject, ...content }: Mail,
): Promise<boolean> {
  const { mail } = config
  if (!mail) return false
  const transport = transports.get(mail) ?? connect(mail)
  transports.set(mail, transport)
  const message = {
    from: mail.from,
    // As an object, it is one address: a text would be read as a list.
    to: { name: '', address: to },
    subject: oneLine(subject),
    ...content,
    // Mail programs must not answer it with a notice of absence.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
  try {
    const { accepted } = await withDeadline(PATIENCE_MS, transport.sendMail(message), tooLate)
    return accepted.length > 0
  } catch (error) {
    const { code, responseCode, command } = error as {
      code?: string
      responseCode?: number
      command?: string
    }
    log.warn({ code, responseCode, command }, 'a mail could not be sent')
    return false
  }
}

const tooLate = () => Object.assign(new Error('the mail server takes too long'), { code: 'ETIMEDOUT' })

/** A line break would begin another header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim()
