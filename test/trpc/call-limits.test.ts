import { beforeEach, expect, test } from 'vitest'
import { generateToken } from '../../src/access/teams/token-format.ts'
import { type Answer, type Member, startApi } from '../support/api.ts'
import { ofFile } from '../support/of-file.ts'

const LIMIT = 3
const USER_LIMIT = 5 * LIMIT
const TEAM_LIMIT = 20 * LIMIT
const MINUTE = 60_000

const api = ofFile(() => startApi({ now: () => new Date(at) }))
let at = Date.UTC(2026, 2, 1, 12)
beforeEach(() => {
  at += MINUTE
  api.services.config.limits.api = LIMIT
})

const list = (token: string) => api.call('GET', '/api/timezones', { token })

/** One call after another, each with one of the tokens in turn. */
async function callInTurn(tokens: string[], count: number): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let call = 0; call < count; call++) answers.push(await list(tokens[call % tokens.length]!))
  return answers
}

async function tokensOf(member: Member, count: number): Promise<string[]> {
  const tokens: string[] = []
  while (tokens.length < count) tokens.push(await api.token(member, {}))
  return tokens
}

const statusesOf = (answers: Answer[]) => answers.map(answer => answer.status)
const shown = ({ headers }: Answer) =>
  ['limit', 'remaining'].map(name => Number(headers.get(`x-ratelimit-${name}`)))

test('API limit: more tokens of a user do not make more calls', { tags: ['full'] }, async () => {
  const owner = await api.member()
  const tokens = await tokensOf(owner, 10)
  const answers = await callInTurn(tokens, USER_LIMIT + 5)
  expect(statusesOf(answers)).toEqual([...Array(USER_LIMIT).fill(200), ...Array(5).fill(429)])
  const refused = answers.at(-1)!
  const message = `More than ${USER_LIMIT} requests a minute by all tokens of this user; try again when the minute is over`
  expect(refused.body).toMatchObject({ code: 'rate_limited', message })
  expect(refused.headers.get('retry-after')).toBe('60')
  const other = await api.member({ teamId: owner.teamId, role: 'member' })
  expect((await list(other.token)).status).toBe(200)
})

test('API limit: more users of a team do not make more calls', async () => {
  const owner = await api.member()
  const tokens: string[] = []
  for (let user = 0; user < 5; user++)
    tokens.push(...(await tokensOf(await api.member({ teamId: owner.teamId, role: 'member' }), 5)))
  // 60 calls with 25 tokens: none of a token is over its 3, none of a user over its 15.
  const answers = await callInTurn(tokens, TEAM_LIMIT)
  expect(new Set(statusesOf(answers))).toEqual(new Set([200]))
  const refused = await list(owner.token)
  expect([refused.status, ...shown(refused)]).toEqual([429, TEAM_LIMIT, 0])
  expect(refused.body.message).toContain(`${TEAM_LIMIT} requests a minute by all tokens of this team`)
  expect((await list((await api.member()).token)).status).toBe(200)
})

test('API limit: the headers show the bucket with the fewest requests left', async () => {
  const owner = await api.member()
  const [a, b, c, d, e] = (await tokensOf(owner, 5)) as [string, string, string, string, string]
  expect(shown(await list(a))).toEqual([LIMIT, 2])
  for (const token of [a, a, b, b, b, c, c, c, d, d, d]) await list(token)
  // Of the token 2 are left, of the user 2: on a tie the narrower one is shown.
  expect(shown(await list(e))).toEqual([LIMIT, 2])
  expect(shown(await list(owner.token))).toEqual([USER_LIMIT, 1])
  expect(shown(await list(e))).toEqual([USER_LIMIT, 0])
  expect(shown(await list(e))).toEqual([USER_LIMIT, 0])
})

test('API limit: a call that one bucket refuses counts in the others', async () => {
  const owner = await api.member()
  const [runaway, other] = (await tokensOf(owner, 2)) as [string, string]
  const answers = await callInTurn([runaway], USER_LIMIT)
  expect(statusesOf(answers)).toEqual([...Array(LIMIT).fill(200), ...Array(USER_LIMIT - LIMIT).fill(429)])
  const refused = await list(other)
  expect([refused.status, ...shown(refused)]).toEqual([429, USER_LIMIT, 0])
})

test('API limit: a call takes one round trip to Redis', async () => {
  const { token } = await api.member()
  await list(token)
  const before = await scriptCalls()
  await list(token)
  expect((await scriptCalls()) - before).toBe(1)
})

async function scriptCalls(): Promise<number> {
  const stats = await api.services.redis.info('commandstats')
  const counts = [...stats.matchAll(/cmdstat_(?:evalsha|eval|fcall):calls=(\d+)/g)]
  return counts.reduce((sum, [, calls]) => sum + Number(calls), 0)
}

test('API limit: 0 turns off all three limits and their headers', { tags: ['full'] }, async () => {
  api.services.config.limits.api = 0
  const { token } = await api.member()
  const answers = await callInTurn([token], TEAM_LIMIT + 1)
  expect(new Set(statusesOf(answers))).toEqual(new Set([200]))
  expect(answers[0]!.headers.has('x-ratelimit-limit')).toBe(false)
})

const GUESS_LIMIT = 10 * LIMIT

test('API limit: after too many invalid tokens, a network is refused without a look-up', async () => {
  const { token } = await api.member()
  expect((await list(token)).status).toBe(200)
  const answers: Answer[] = []
  for (let guess = 0; guess < GUESS_LIMIT + 5; guess++) answers.push(await list(generateToken()))
  expect(statusesOf(answers)).toEqual([...Array(GUESS_LIMIT).fill(401), ...Array(5).fill(429)])
  const refused = answers.at(-1)!
  expect([...shown(refused), refused.headers.get('retry-after')]).toEqual([GUESS_LIMIT, 0, '60'])
  expect(refused.body.message).toContain('requests a minute with tokens that are not valid')
  // Who has a token that was seen before, at the same address, is none the worse; nor costs nonsense a look-up.
  expect((await list(token)).status).toBe(200)
  expect((await list('nonsense')).status).toBe(401)
  at += MINUTE
  expect((await list(generateToken())).status).toBe(401)
})

test('API limit: a revoked token counts as invalid', { tags: ['full'] }, async () => {
  const owner = await api.member()
  const { token } = owner
  const { body } = await api.call('POST', '/api/tokens', { token, body: { name: 'short-lived' } })
  expect((await list(body.token)).status).toBe(200)
  expect((await api.call('DELETE', `/api/tokens/${body.id}`, { token })).status).toBe(204)
  const answers = statusesOf(await callInTurn([body.token], GUESS_LIMIT + 2))
  expect(new Set(answers)).toEqual(new Set([401, 429]))
  expect(answers[0]).toBe(401)
})

test('API limit: a valid token never counts as invalid, even if the process sees it for the first time', async () => {
  api.services.config.limits.api = 1
  for (let member = 0; member < 12; member++)
    expect((await list((await api.member()).token)).status).toBe(200)
})
