import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { beforeEach, expect, test } from 'vitest'
import { cookieOf, entriesOf, PASSWORD, setUp, withCookie } from '../../support/log-in.ts'
import { useApi } from '../teams/use-api.ts'

/** In the middle of a time step. */
let at = new Date('2026-03-01T12:00:15Z')
const api = useApi(() => ({ now: () => at, config: { trustProxy: 1 } }))

let address: string
beforeEach(() => {
  address = `10.${[...randomBytes(3)].join('.')}`
  // Nothing of another test counts.
  at = new Date(at.getTime() + 3_600_000)
})

const send = (method: string, path: string, cookie: string, body?: object) =>
  api.call(method, `/api/account${path}`, { headers: withCookie(api, cookie), body: body ?? {} })
const login = (body: object) =>
  api.call('POST', '/api/auth/login', { body, headers: { 'X-Forwarded-For': address } })

const codeAt = (secret: string, time: Date) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: time.getTime() })
const steps = (count: number) => new Date(at.getTime() + count * 30_000)

const read = (cookie: string) => api.call('GET', '/api/account', { headers: withCookie(api, cookie) })

/** A person with a second factor. */
async function withTotp() {
  const person = await setUp(api)
  const { body } = await send('POST', '/totp/secret', person.cookie)
  const added = await send('POST', '/totp', person.cookie, {
    secret: body.secret,
    code: codeAt(body.secret, steps(-1)),
    password: PASSWORD,
  })
  expect(added.status).toBe(200)
  const secret = body.secret as string
  const codes = added.body.recovery_codes as string[]
  const signIn = (code?: string) => login({ email: person.email, password: PASSWORD, code })
  return { ...person, cookie: cookieOf(added)!, oldCookie: person.cookie, secret, codes, signIn }
}

test('second factor: the proposed secret comes as an address for apps; after ten wrong codes none is compared', async () => {
  const { cookie, email } = await setUp(api)
  const { status, body } = await send('POST', '/totp/secret', cookie)
  expect(status).toBe(200)
  expect(Buffer.from(Secret.fromBase32(body.secret).bytes)).toHaveLength(20)
  const app = new URL(body.uri)
  expect(decodeURIComponent(app.pathname)).toContain(email)
  expect(app.searchParams.get('secret')).toBe(body.secret)
  const add = (code: string) =>
    send('POST', '/totp', cookie, { secret: body.secret, code, password: PASSWORD })
  for (let i = 0; i < 10; i++) expect((await add('000000')).status).toBe(422)
  expect((await add(codeAt(body.secret, at))).status).toBe(429)
})

test('second factor: adding it renews the session, is recorded, and gives ten recovery codes', async () => {
  const { cookie, oldCookie, codes, loginId } = await withTotp()
  expect(codes).toHaveLength(10)
  for (const code of codes) expect(code).toMatch(/^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}$/)
  expect((await read(oldCookie)).status).toBe(401)
  expect((await read(cookie)).body).toMatchObject({ has_totp: true, recovery_codes: 10 })
  expect((await entriesOf(api, loginId)).at(-1)?.action).toBe('totp.add')
  const stored = JSON.stringify(
    await api.services
      .db`select * from logins left join recovery_codes on login_id = id where id = ${loginId}`,
  )
  for (const code of codes) expect(stored).not.toContain(code.replaceAll('-', ''))
})

test('second factor: the secret is sealed for its login alone', { tags: ['full'] }, async () => {
  const [one, other] = [await withTotp(), await withTotp()]
  const { db } = api.services
  await db`update logins set totp_secret = (select totp_secret from logins where id = ${one.loginId}) where id = ${other.loginId}`
  expect((await other.signIn(codeAt(one.secret, at))).status).toBe(500)
})

test('second factor: with the right password and no code, the answer says what is missing, and does not count', async () => {
  const { signIn, email, secret } = await withTotp()
  for (let i = 0; i < 11; i++) {
    const { status, body } = await signIn()
    expect([status, body.code]).toEqual([401, 'second_factor_required'])
  }
  const wrong = await login({ email, password: 'another password' })
  expect([wrong.status, wrong.body.code]).toEqual([401, 'unauthenticated'])
  expect((await signIn(codeAt(secret, at))).status).toBe(200)
})

test('second factor: a wrong code is answered like a wrong password, counts, and is recorded', async () => {
  const { signIn, email, secret, loginId } = await withTotp()
  const code = await signIn('000000')
  const password = await login({ email, password: 'another password', code: '000000' })
  const alike = { ...password.body, request_id: code.body.request_id }
  expect([code.status, code.body]).toEqual([401, alike])
  expect((await entriesOf(api, loginId)).at(-2)?.details).toEqual({ reason: 'code' })
  for (let i = 0; i < 8; i++) await signIn('000000')
  expect((await signIn(codeAt(secret, at))).status).toBe(429)
})

test('second factor: the code of this time step and of those beside it work, none that was used or is before one that was', async () => {
  for (const [step, status] of [
    [-2, 401],
    [-1, 401],
    [0, 200],
    [1, 200],
    [2, 401],
  ] as const) {
    // The code of the step before was used.
    const { signIn, secret } = await withTotp()
    expect([step, (await signIn(codeAt(secret, steps(step)))).status]).toEqual([step, status])
  }
  const { signIn, secret } = await withTotp()
  at = steps(2)
  const code = codeAt(secret, steps(-1)).replace(/^(...)/, '$1 ')
  expect((await signIn(code)).status).toBe(200)
})

test('second factor: a code works once, also when it comes twenty times at the same moment, and none before it works afterwards', async () => {
  const { signIn, secret } = await withTotp()
  const code = codeAt(secret, steps(1))
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await signIn(code)).status).toBe(401)
  expect((await signIn(codeAt(secret, at))).status).toBe(401)
})

test('second factor: a recovery code works once, also when it comes eight times at the same moment', async () => {
  const { signIn, codes, cookie } = await withTotp()
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(codes[0])))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await signIn(codes[0])).status).toBe(401)
  const typed = codes[1]!.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'I')
  expect((await signIn(typed)).status).toBe(200)
  expect((await read(cookie)).body.recovery_codes).toBe(8)
})

test('second factor: renewed recovery codes replace those before; without the factor they go, and the password is enough', {
  tags: ['full'],
}, async () => {
  const { signIn, codes, cookie, loginId } = await withTotp()
  const renewed = await send('POST', '/recovery-codes', cookie, { password: PASSWORD })
  expect([renewed.status, renewed.body.recovery_codes.length]).toEqual([200, 10])
  expect((await entriesOf(api, loginId)).at(-1)?.action).toBe('recovery_codes.renew')
  expect((await signIn(codes[0])).status).toBe(401)
  expect((await signIn(renewed.body.recovery_codes[9])).status).toBe(200)
  const removed = await send('DELETE', '/totp', cookieOf(renewed) ?? cookie, { password: PASSWORD })
  expect(removed.status).toBe(204)
  expect((await entriesOf(api, loginId)).at(-1)?.action).toBe('totp.remove')
  const left = cookieOf(removed)!
  expect((await read(left)).body).toMatchObject({ has_totp: false, recovery_codes: 0 })
  expect((await signIn()).status).toBe(200)
  expect((await send('DELETE', '/totp', left, { password: PASSWORD })).status).toBe(404)
  expect((await send('POST', '/recovery-codes', left, { password: PASSWORD })).status).toBe(404)
})

test('second factor: each change needs the password', async () => {
  const { cookie, secret } = await withTotp()
  const changes: [string, string, object][] = [
    ['POST', '/totp', { secret, code: codeAt(secret, at) }],
    ['DELETE', '/totp', {}],
    ['POST', '/recovery-codes', {}],
  ]
  for (const [method, path, body] of changes) {
    expect((await send(method, path, cookie, body)).status).toBe(403)
    const wrong = await send(method, path, cookie, { ...body, password: 'another password' })
    expect([wrong.status, wrong.body.message]).toEqual([403, 'The password is wrong'])
  }
})

test('second factor: what is no secret or code is 422', async () => {
  const { cookie } = await setUp(api)
  const secret = 'A'.repeat(32)
  for (const body of [
    { secret: 'AAAA', code: '123456' },
    { secret: '1'.repeat(32), code: '123456' },
    { secret },
    { secret, code: 'abcdef' },
    { secret, code: '1'.repeat(1_000) },
  ])
    expect((await send('POST', '/totp', cookie, { ...body, password: PASSWORD })).status).toBe(422)
})
