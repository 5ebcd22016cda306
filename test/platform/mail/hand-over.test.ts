import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { handOver } from '../../../src/platform/mail/hand-over.ts'
import { bareConfig } from '../../support/bare-config.ts'
import { silentLog } from '../../support/log.ts'
import { startMailServer } from '../../support/mail-server.ts'

/** Without a mail server. */
const config = bareConfig()

const MAIL = { to: 'ada@example.com', subject: 'x', text: 'text', messageId: '<report-1@example.com>' }
const services = (url: string) => ({
  config: { ...config, mail: { url, from: 'analytics@example.com' } },
  log: silentLog,
})

let server: Server | undefined
afterEach(() => void server?.close())

/** A mail server that answers each line of the client as `answer` says, and cuts the connection where it says nothing. */
async function scripted(answer: (line: string) => string | undefined): Promise<string> {
  server = createServer((socket: Socket) => {
    let isText = false
    socket.on('error', () => {})
    socket.on('data', chunk => {
      for (const line of String(chunk).split('\r\n')) {
        if (line === '') continue
        if (isText && line !== '.') continue
        const said = answer(isText ? 'END' : line.split(/[ :]/)[0]!)
        isText = line === 'DATA' && said?.startsWith('354') === true
        if (said === undefined) return socket.destroy()
        socket.write(`${said}\r\n`)
      }
    })
    socket.write('220 test\r\n')
  })
  await new Promise<void>(resolve => server!.listen(0, '127.0.0.1', resolve))
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Changes = Record<string, string | undefined>
const answersWith = (changes: Changes) => (line: string) =>
  line in changes ? changes[line] : line === 'DATA' ? '354 go' : '250 ok'

test.each<[string, Changes, string, string | undefined]>([
  ['takes it', {}, 'taken', undefined],
  ['is busy', { MAIL: '421 busy' }, 'failed', 'refused'],
  ['refuses the address for now', { RCPT: '450 later' }, 'failed', 'refused'],
  ['rejects the address', { RCPT: '550 unknown' }, 'rejected', 'rejected'],
  ['rejects the sender', { MAIL: '550 no' }, 'failed', 'refused'],
  ['rejects the text', { END: '554 spam' }, 'rejected', 'rejected'],
  ['refuses the text for now', { END: '451 later' }, 'failed', 'refused'],
  ['cuts the connection before the text', { RCPT: undefined }, 'failed', 'unreachable'],
  ['cuts the connection at DATA', { DATA: undefined }, 'failed', 'unreachable'],
  ['cuts the connection after the text', { END: undefined }, 'uncertain', 'uncertain'],
])('hand-over: a mail server that %s', async (_what, changes, outcome, problem) => {
  const url = await scripted(answersWith(changes))
  expect(await handOver(services(url), MAIL)).toMatchObject({ outcome, ...(problem && { problem }) })
})

test('hand-over: without a server there, nothing was sent', async () => {
  const handed = await handOver(services('smtp://127.0.0.1:1'), MAIL)
  expect(handed).toMatchObject({ outcome: 'failed', problem: 'unreachable' })
})

test('hand-over: pictures and headers arrive as they were given', async () => {
  const real = await startMailServer()
  const content = Buffer.from('not a picture')
  const picture = { cid: 'visitors', filename: 'visitors.png', content, contentType: 'image/png' as const }
  const more = { html: '<img src="cid:visitors">', pictures: [picture], headers: { 'List-Id': '<a.b>' } }
  expect(await handOver(services(real.mail.url), { ...MAIL, ...more })).toEqual({ outcome: 'taken' })
  const [arrived] = real.mails
  expect(arrived!.messageId).toBe('<report-1@example.com>')
  expect(arrived!.raw).toMatch(/^List-Id:\s+<a\.b>/im)
  expect(arrived!.attachments[0]).toMatchObject({ cid: 'visitors', content, contentDisposition: 'inline' })
  await real.close()
})
