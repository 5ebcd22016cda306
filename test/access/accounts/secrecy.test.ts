import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { createLink } from '../../../src/access/accounts/links.ts'
import { cookieOf, invitee, withCookie } from '../../support/log-in.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { useApi } from '../teams/use-api.ts'

const { log, lines } = recordingLog()
const api = useApi(() => ({ log }))

/** Text of every row of every table that logins write to. */
async function databaseText(): Promise<string> {
  const secret = ['logins', 'recovery_codes', 'browser_sessions', 'one_time_links']
  const tables = [...secret, 'users', 'audit_log', 'tokens']
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
  /** What the answer shows the person once, when it is asked for with `shows`, is not looked at. */
  const call = async (method: string, path: string, cookie = '', body?: object, shows = false) => {
    const answer = await api.call(method, `/api/${path}`, {
      headers: cookie ? withCookie(api, cookie) : {},
      body,
    })
    if (!shows) answers.push(JSON.stringify(answer.body ?? ''))
    const set = cookieOf(answer)
    if (set) marked(set)
    return answer
  }
  const password = marked('marked-first-password')
  const { secret, email } = await invitee(api)
  marked(secret)
  await call('POST', 'auth/link', '', { secret })
  await call('POST', 'auth/setup', '', { secret, password: marked('marked-1') })
  const setUp = await call('POST', 'auth/setup', '', { secret, password })
  expect(setUp.status).toBe(200)

  const first = cookieOf(setUp)!
  const proposed = await call('POST', 'account/totp/secret', first, undefined, true)
  const totp = marked(proposed.body.secret as string)
  const code = marked(TOTP.generate({ secret: Secret.fromBase32(totp) }))
  const wrongCode = marked('987650')
  await call('POST', 'account/totp', first, { secret: totp, code: wrongCode, password })
  const added = await call('POST', 'account/totp', first, { secret: totp, code, password }, true)
  expect(added.status).toBe(200)
  const cookie = cookieOf(added)!
  for (const each of added.body.recovery_codes) marked(each)

  const wrong = marked('marked-wrong-password')
  const logIn = (body: object) => call('POST', 'auth/login', '', { email, password, ...body })
  await logIn({ password: wrong })
  await logIn({ email: `${wrong}@example.com`, password: wrong })
  await logIn({ code: wrongCode })
  const recovery = { code: added.body.recovery_codes[0] }
  expect((await logIn(recovery)).status).toBe(200)
  const next = marked('marked-next-password')
  await call('PUT', 'account/password', cookie, { password: next, current_password: wrong })
  await call('DELETE', `account/totp?password=${wrong}`, cookie)
  const reset = (secret: string, text: string) =>
    call('POST', 'auth/reset', '', { secret: marked(secret), password: marked(text) })
  await reset('m'.repeat(43), 'marked-reset')
  const { db } = api.services
  const link = await createLink(db, 'reset', { email: null, loginId: setUp.body.id }, new Date())
  // A broken body and a failure of the service show nothing of what was sent, either.
  await api.call('POST', '/api/auth/login', { body: `{"password": "${marked('marked-broken')}"` })
  await db`alter table recovery_codes rename to recovery_codes_away`
  const failed = await logIn(recovery)
  await db`alter table recovery_codes_away rename to recovery_codes`
  expect([failed.status, (await reset(link, 'marked-last-one')).status]).toEqual([500, 204])
  await call('GET', 'audit-log', cookie)

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
