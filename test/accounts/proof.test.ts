import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireProof } from '../../src/accounts/proof.ts'
import { type Api, startApi } from '../support/api.ts'
import { signIn } from '../support/browser-session.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const before = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)

let api: Api
beforeAll(async () => {
  api = await startApi({ now: () => NOW })
})
afterAll(() => api.close())

const prove = (loginId: string, password: string | undefined, authenticatedAt = NOW) =>
  requireProof(api.services, { loginId, authenticatedAt }, password)

test('proof: a login with a password needs it, however recent the sign-in is', async () => {
  const { loginId } = await signIn(api, { password: 'correct horse' })
  await prove(loginId, 'correct horse', before(10_000))
  await expect(prove(loginId, undefined)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(prove(loginId, 'wrong horse')).rejects.toMatchObject({ code: 'forbidden' })
})

test('proof: a login without a password needs a sign-in of the last fifteen minutes', async () => {
  const { loginId } = await signIn(api)
  await prove(loginId, undefined, before(15))
  await prove(loginId, 'any password', before(15))
  await expect(prove(loginId, undefined, before(15.1))).rejects.toMatchObject({ code: 'forbidden' })
})

test('proof: where passwords are turned off, a recent sign-in is enough', async () => {
  const { loginId } = await signIn(api, { password: 'correct horse' })
  const services = { ...api.services, config: { ...api.services.config, hasPasswords: false } }
  await requireProof(services, { loginId, authenticatedAt: before(15) }, undefined)
  await expect(
    requireProof(services, { loginId, authenticatedAt: before(16) }, 'correct horse'),
  ).rejects.toMatchObject({ code: 'forbidden' })
})

test('proof: ten wrong passwords in fifteen minutes, then none is compared; right ones do not count', async () => {
  const { loginId } = await signIn(api, { password: 'correct horse' })
  for (let i = 0; i < 11; i++) await prove(loginId, 'correct horse')
  for (let i = 0; i < 10; i++) await expect(prove(loginId, 'wrong horse')).rejects.toThrow('wrong')
  await expect(prove(loginId, 'correct horse')).rejects.toMatchObject({ code: 'rate_limited' })
})
