import type { Config } from '../config/config.ts'
import { withDeadline } from '../lib/deadline.ts'
import type { Services } from '../services.ts'
import { library } from './library.ts'
import { type Mail, messageOf } from './message.ts'

/** Longest time that a request waits for the mail server; shorter than the deadline of a procedure. */
const PATIENCE_MS = 6_000
const SLOW_STEP_MS = 5_000
/** An open connection keeps the process alive. */
const IDLE_MS = 2_000

type MailConfig = NonNullable<Config['mail']>

const transports = new WeakMap<MailConfig, ReturnType<typeof connect>>()

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
    disableFileAccess: true,
    disableUrlAccess: true,
  })

/**
 * Sends a mail through the server of `SMTP_URL`. Without one, nothing is sent. A failure is logged without the address and the text.
 * @returns whether the mail server has taken it
 */
export async function sendMail(
  { config, log }: Pick<Services, 'config' | 'log'>,
  mail: Mail,
): Promise<boolean> {
  if (!config.mail) return false
  const transport = transports.get(config.mail) ?? connect(config.mail)
  transports.set(config.mail, transport)
  try {
    const sending = transport.sendMail(messageOf(config.mail, mail))
    const { accepted } = await withDeadline(PATIENCE_MS, sending, tooLate)
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
