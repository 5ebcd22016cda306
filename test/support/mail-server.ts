import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

/** A mail as it was delivered. */
export interface Delivered extends ParsedMail {
  /** Addresses of the envelope, which decide who gets it. */
  recipients: string[]
  raw: string
}

export interface MailServer {
  /** Setting `config.mail`. */
  mail: { url: string; from: string }
  /** What has arrived, oldest first. */
  mails: Delivered[]
  close(): Promise<void>
}

/**
 * A real SMTP server on a free port that keeps what it gets.
 * @param refuse returns the error for a recipient; undefined to take the mail
 */
export async function startMailServer(
  refuse: (address: string) => Error | undefined = () => undefined,
): Promise<MailServer> {
  const mails: Delivered[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: ({ address }, _session, done) => done(refuse(address) ?? null),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', chunk => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks)
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        simpleParser(raw).then(
          mail => done(void mails.push({ ...mail, recipients, raw: raw.toString() }) as never),
          done,
        )
      })
    },
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    mail: { url: `smtp://127.0.0.1:${port}`, from: 'Analytics <analytics@example.com>' },
    mails,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}
