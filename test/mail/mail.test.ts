import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { letter } from '../../src/mail/letter.ts'
import { sendMail } from '../../src/mail/send.ts'
import { silentLog } from '../support/log.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { recordingLog } from '../support/recording-log.ts'

const config = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1/none',
  REDIS_URL: 'redis://127.0.0.1',
  SECRET_KEY: '0'.repeat(64),
})

let server: MailServer
beforeAll(async () => {
  server = await startMailServer(address =>
    address === 'full@example.com'
      ? Object.assign(new Error('mailbox of full@example.com is full'), { responseCode: 452 })
      : undefined,
  )
})
afterEach(() => void server.mails.splice(0))
afterAll(() => server.close())

const services = () => ({ config: { ...config, mail: server.mail }, log: silentLog })

test('mail: the mail server gets text, HTML, sender and recipient as they were given', async () => {
  const content = letter(['Grüße & <b>bold</b>', { label: 'Join', url: 'https://a.example/invite#x_1-2' }])
  expect(await sendMail(services(), { to: 'ada@example.com', subject: 'Join – Ünïcode', ...content })).toBe(
    true,
  )
  const [mail] = server.mails
  expect(mail).toMatchObject({ subject: 'Join – Ünïcode', recipients: ['ada@example.com'] })
  expect(mail!.from!.value).toEqual([{ name: 'Analytics', address: 'analytics@example.com' }])
  expect(mail!.text).toBe('Grüße & <b>bold</b>\n\nJoin:\nhttps://a.example/invite#x_1-2\n')
  expect(mail!.html).toContain('<p>Grüße &amp; &lt;b&gt;bold&lt;/b&gt;</p>')
  expect(mail!.html).toContain('<a href="https://a.example/invite#x_1-2">Join</a>')
  expect(mail!.headers.get('auto-submitted')).toBe('auto-generated')
})

test('mail: nothing in it is loaded from elsewhere, so that nobody learns that it was read', async () => {
  await sendMail(services(), {
    to: 'ada@example.com',
    subject: 'x',
    ...letter([
      '<img src="https://tracker.example/p.gif">',
      { label: 'x', url: 'https://a.example/#"><img src=x>' },
    ]),
  })
  expect(server.mails[0]!.html).not.toMatch(/<(img|link|script|iframe|style)|url\(/i)
  expect(server.mails[0]!.attachments).toEqual([])
})

test.each(['\r\n', '\n', '\r', '\u2028', '\0'])(
  'mail: a line break (%j) in the subject begins no header',
  async end => {
    await sendMail(services(), {
      to: 'ada@example.com',
      subject: `Hello${end}Bcc: eve@example.com${end}${end}body`,
      text: 'text',
    })
    const [mail] = server.mails
    expect(mail!.recipients).toEqual(['ada@example.com'])
    expect(mail!.bcc).toBeUndefined()
    expect(mail!.subject).toBe('Hello Bcc: eve@example.com body')
    expect(mail!.text?.trim()).toBe('text')
  },
)

test.each([
  'ada@example.com, eve@example.com',
  'ada@example.com\r\nBcc: eve@example.com',
  'Ada <eve@example.com>',
  'ada@example.com> RCPT TO:<eve@example.com',
])('mail: an address like %j reaches nobody else', async to => {
  await sendMail(services(), { to, subject: 'x', text: 'x' })
  for (const { recipients } of server.mails) expect(recipients).not.toContain('eve@example.com')
})

test('mail: a refusal of the mail server is told, and logged without the address', async () => {
  const { log, lines } = recordingLog()
  const sent = await sendMail(
    { ...services(), log },
    { to: 'full@example.com', subject: 'x', text: 'secret' },
  )
  expect(sent).toBe(false)
  expect(lines).toEqual([expect.objectContaining({ msg: 'a mail could not be sent', responseCode: 452 })])
  expect(JSON.stringify(lines)).not.toMatch(/full@|secret/)
})

test('mail: a mail server that cannot be reached is a failure', async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => probe.once('listening', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  const mail = { ...server.mail, url: `smtp://127.0.0.1:${port}` }
  const { log, lines } = recordingLog()
  const options = { config: { ...config, mail }, log }
  expect(await sendMail(options, { to: 'ada@example.com', subject: 'x', text: 'x' })).toBe(false)
  expect(lines).toHaveLength(1)
})

test('mail: a mail server that never answers does not hold the request', async () => {
  const sockets: import('node:net').Socket[] = []
  const mute = createServer(socket => void sockets.push(socket)).listen(0, '127.0.0.1')
  await new Promise(resolve => mute.once('listening', resolve))
  const mail = { ...server.mail, url: `smtp://127.0.0.1:${(mute.address() as AddressInfo).port}` }
  const options = { config: { ...config, mail }, log: silentLog }
  expect(await sendMail(options, { to: 'ada@example.com', subject: 'x', text: 'x' })).toBe(false)
  for (const socket of sockets) socket.destroy()
  await new Promise(resolve => mute.close(resolve))
})

test('mail: many at once share few connections, and all arrive', async () => {
  const sent = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      sendMail(services(), { to: `p${i}@example.com`, subject: `${i}`, text: 'x' }),
    ),
  )
  expect(sent).toEqual(Array(20).fill(true))
  expect(server.mails.map(({ recipients }) => recipients[0]).sort()).toEqual(
    Array.from({ length: 20 }, (_, i) => `p${i}@example.com`).sort(),
  )
})

test('mail: without SMTP_URL nothing is sent', async () => {
  expect(config.mail).toBeUndefined()
  expect(await sendMail({ config, log: silentLog }, { to: 'ada@example.com', subject: 'x', text: 'x' })).toBe(
    false,
  )
  expect(server.mails).toEqual([])
})
