import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { letter } from '../../../src/platform/mail/letter.ts'
import { sendMail } from '../../../src/platform/mail/send.ts'
import { bareConfig } from '../../support/bare-config.ts'
import { silentLog } from '../../support/log.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { ofFile } from '../../support/of-file.ts'
import { recordingLog } from '../../support/recording-log.ts'

/** Without a mail server. */
const config = bareConfig()

const server = ofFile(() =>
  startMailServer(address =>
    address === 'full@example.com'
      ? Object.assign(new Error('mailbox of full@example.com is full'), { responseCode: 452 })
      : undefined,
  ),
)
afterEach(() => void server.mails.splice(0))

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
  const link = { label: 'x', url: 'https://a.example/#"><img src=x>' }
  const content = letter(['<img src="https://tracker.example/p.gif">', link])
  await sendMail(services(), { to: 'ada@example.com', subject: 'x', ...content })
  expect(server.mails[0]!.html).not.toMatch(/<(img|link|script|iframe|style)|url\(/i)
  expect(server.mails[0]!.attachments).toEqual([])
})

test('mail: a line break in the subject begins no header', async () => {
  for (const end of ['\r\n', '\n', '\r', '\u2028', '\0']) {
    const subject = `Hello${end}Bcc: eve@example.com${end}${end}body`
    await sendMail(services(), { to: 'ada@example.com', subject, text: 'text' })
    const [mail] = server.mails.splice(0)
    expect([end, mail!.recipients, mail!.bcc]).toEqual([end, ['ada@example.com'], undefined])
    expect([mail!.subject, mail!.text?.trim()]).toEqual(['Hello Bcc: eve@example.com body', 'text'])
  }
})

test('mail: an address that names another one reaches nobody else', async () => {
  for (const to of [
    'ada@example.com, eve@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'Ada <eve@example.com>',
    'ada@example.com> RCPT TO:<eve@example.com',
  ])
    await sendMail(services(), { to, subject: 'x', text: 'x' })
  expect(server.mails.flatMap(({ recipients }) => recipients)).not.toContain('eve@example.com')
})

test('mail: a refusal of the mail server is told, and logged without the address', async () => {
  const { log, lines } = recordingLog()
  const mail = { to: 'full@example.com', subject: 'x', text: 'secret' }
  expect(await sendMail({ ...services(), log }, mail)).toBe(false)
  expect(lines).toEqual([expect.objectContaining({ msg: 'a mail could not be sent', responseCode: 452 })])
  expect(JSON.stringify(lines)).not.toMatch(/full@|secret/)
})

test('mail: a mail server that is not there or never answers is a failure, and does not hold the request', {
  tags: ['full'],
}, async () => {
  const sockets: Socket[] = []
  const mute = createServer(socket => void sockets.push(socket)).listen(0, '127.0.0.1')
  await new Promise(resolve => mute.once('listening', resolve))
  const url = `smtp://127.0.0.1:${(mute.address() as AddressInfo).port}`
  const { log, lines } = recordingLog()
  const send = () => {
    const options = { config: { ...config, mail: { ...server.mail, url } }, log }
    return sendMail(options, { to: 'ada@example.com', subject: 'x', text: 'x' })
  }
  expect(await send()).toBe(false)
  for (const socket of sockets) socket.destroy()
  await new Promise(resolve => mute.close(resolve))
  expect(await send()).toBe(false)
  expect(lines).toHaveLength(2)
})

test('mail: many at once share few connections, and all arrive', async () => {
  const addresses = Array.from({ length: 20 }, (_, i) => `p${i}@example.com`)
  const sent = await Promise.all(addresses.map(to => sendMail(services(), { to, subject: 'x', text: 'x' })))
  expect(sent).toEqual(Array(20).fill(true))
  expect(server.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(addresses.sort())
})

test('mail: without SMTP_URL nothing is sent', async () => {
  expect(config.mail).toBeUndefined()
  const mail = { to: 'ada@example.com', subject: 'x', text: 'x' }
  expect(await sendMail({ config, log: silentLog }, mail)).toBe(false)
  expect(server.mails).toEqual([])
})
