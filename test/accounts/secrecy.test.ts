import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLink } from '../../src/accounts/links.ts'
import { type Api, startApi } from '../support/api.ts'
import { cookieOf, invitee, withCookie } from '../support/log-in.ts'
import { recordingLog } from '../support/recording-log.ts'

const { log, lines } = recordingLog()
let api: Api
beforeAll(async () => {
  api = await startApi({ log })
})
afterAll(() => api.close())

/** Text of every row of every table that logins write to. */
async function databaseText(): Promise<string> {
  const tables = [
    'logins',
    'recovery_codes',
    'browser_sessions',
    'one_time_links',
    'users',
    'audit_log',
    'tokens',
  ]
  const rows = await Promise.all(
    tables.map(table => api.services.db.unsafe(`select t::text from ${table} as t`)),
  )
  return JSON.stringify(rows)
}

/** Everything that Redis holds. */
async function redisText(): Promise<string> {
  const { redis } = api.services
  const texts: unknown[] = []
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key)
    texts.push(
      key,
      type === 'hash' ? await redis.hgetall(key) : type === 'string' ? await redis.get(key) : '',
    )
  }
  return JSON.stringify(texts)
}

test('no password, cookie, link, code or secret is in a log, an error, a metric, the audit log, the database or Redis', async () => {
  const secrets = new Set<string>()
  const answers: string[] = []
  const marked = <Text extends string>(text: Text): Text => {
    secrets.add(text)
    return text
  }
  /** What the answer shows the person once is taken out. */
  const call = async (method: string, path: string, cookie?: string, body?: object, shown: string[] = []) => {
    const headers = cookie === undefined ? {} : withCookie(api, cookie)
    const answer = await api.call(method, path, { headers, ...(body && { body }) })
    let text = JSON.stringify(answer.body ?? '')
    for (const each of shown) text = text.replaceAll(each, '')
    answers.push(text)
    const set = cookieOf(answer)
    if (set) marked(set)
    return answer
  }
  const password = marked('marked-first-password')
  const { secret, email } = await invitee(api)
  marked(secret)
  await call('POST', '/api/auth/link', undefined, { secret })
  await call('POST', '/api/auth/setup', undefined, { secret, password: marked('marked-1') })
  const setUp = await call('POST', '/api/auth/setup', undefined, { secret, password })
  expect(setUp.status).toBe(200)
  let cookie = cookieOf(setUp)!

  const proposed = await api.call('POST', '/api/account/totp/secret', { headers: withCookie(api, cookie) })
  const totp = marked(proposed.body.secret as string)
  const code = marked(TOTP.generate({ secret: Secret.fromBase32(totp) }))
  const wrongCode = marked('987650')
  await call('POST', '/api/account/totp', cookie, { secret: totp, code: wrongCode, password })
  const added = await api.call('POST', '/api/account/totp', {
    headers: withCookie(api, cookie),
    body: { secret: totp, code, password },
  })
  expect(added.status).toBe(200)
  cookie = marked(cookieOf(added)!)
  for (const each of added.body.recovery_codes) marked(each)

  const wrong = marked('marked-wrong-password')
  await call('POST', '/api/auth/login', undefined, { email, password: wrong })
  await call('POST', '/api/auth/login', undefined, { email: `${wrong}@example.com`, password: wrong })
  await call('POST', '/api/auth/login', undefined, { email, password, code: wrongCode })
  const recovery = added.body.recovery_codes[0]
  expect((await call('POST', '/api/auth/login', undefined, { email, password, code: recovery })).status).toBe(
    200,
  )
  await call('PUT', '/api/account/password', cookie, {
    password: marked('marked-next-password'),
    current_password: wrong,
  })
  await call('DELETE', `/api/account/totp?password=${wrong}`, cookie)
  await call('POST', '/api/auth/reset', undefined, {
    secret: marked('m'.repeat(43)),
    password: marked('marked-reset'),
  })
  const link = marked(
    await createLink(api.services.db, 'reset', { email: null, loginId: setUp.body.id }, new Date()),
  )
  // A broken body and a failure of the service show nothing of what was sent, either.
  await api.call('POST', '/api/auth/login', { body: `{"password": "${marked('marked-broken')}"` })
  const { db } = api.services
  await db`alter table recovery_codes rename to recovery_codes_away`
  const failed = await call('POST', '/api/auth/login', undefined, { email, password, code: recovery })
  await db`alter table recovery_codes_away rename to recovery_codes`
  expect(failed.status).toBe(500)
  expect(
    (await call('POST', '/api/auth/reset', undefined, { secret: link, password: marked('marked-last-one') }))
      .status,
  ).toBe(204)
  const audit = await call('GET', '/api/audit-log', cookie)
  answers.push(JSON.stringify(audit.body ?? ''))

  const places = {
    log: JSON.stringify(lines),
    answers: answers.join('\n'),
    metrics: await api.services.metrics.registry.metrics(),
    database: await databaseText(),
    Redis: await redisText(),
  }
  expect(lines.length).toBeGreaterThan(10)
  const found = Object.entries(places).flatMap(([place, text]) =>
    [...secrets]
      // Six digits can stand in a time by chance, except where no number stands.
      .filter(each => each.length > 6 || place === 'answers')
      .filter(each => text.includes(each) || text.includes(each.replaceAll('-', '')))
      .map(each => `${place}: ${each}`),
  )
  expect(found).toEqual([])
  expect(places.Redis).not.toContain(email)
})
