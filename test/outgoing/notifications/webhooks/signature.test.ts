import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signatureOf } from '../../../../src/outgoing/notifications/webhooks/signature.ts'

const document = readFileSync('docs/notifications.md', 'utf8')
const codeOf = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(document)![1]!

const AT = new Date('2026-11-23T10:15:30Z')
const BODY = '{"id":"1","text":"ä"}'
const SECRET = 'whsec_secret'
const HEADER = signatureOf(BODY, [SECRET, 'whsec_before'], AT)

test('signatures: the documented code for Node accepts what is genuine, and nothing else', async () => {
  const url = `data:text/javascript,${encodeURIComponent(codeOf('js'))}`
  const { isGenuine } = await import(/* @vite-ignore */ url)
  const now = AT.getTime()
  expect(isGenuine(BODY, HEADER, SECRET, now)).toBe(true)
  expect(isGenuine(BODY, HEADER, 'whsec_before', now + 299_000)).toBe(true)
  const wrong: [string, string, string, number][] = [
    [`${BODY} `, HEADER, SECRET, now],
    [BODY, HEADER, 'whsec_other', now],
    [BODY, HEADER, SECRET, now + 301_000],
    [BODY, HEADER, SECRET, now - 301_000],
    [BODY, '', SECRET, now],
    [BODY, 't=x,v1=00', SECRET, now],
    [BODY, HEADER.replace('v1=', 'v0='), SECRET.slice(1), now],
  ]
  for (const each of wrong) expect(isGenuine(...each)).toBe(false)
})

test('signatures: the documented code for Python and the shell gives the same', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signature-'))
  try {
    writeFileSync(join(folder, 'body.json'), BODY)
    const t = HEADER.slice(2, HEADER.indexOf(','))
    const shell = execFileSync('sh', ['-c', codeOf('sh')], {
      cwd: folder,
      env: { ...process.env, t, secret: SECRET },
    })
    expect(HEADER).toContain(`v1=${String(shell).trim()}`)
    const call = `\nbody = open("body.json", "rb").read()\nprint(is_genuine(body, "${HEADER}", "${SECRET}", ${t}), is_genuine(body, "${HEADER}", "x", ${t}), is_genuine(body, "${HEADER}", "${SECRET}"))`
    const python = execFileSync('python3', ['-c', codeOf('python') + call], { cwd: folder })
    expect(String(python).trim()).toBe('True False False')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
