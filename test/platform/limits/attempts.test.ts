import { expect, test } from 'vitest'
import { countAttempt, MAX_ATTEMPTS, MAX_ATTEMPTS_OF_EMAIL } from '../../../src/platform/limits/attempts.ts'
import { startApi } from '../../support/api.ts'
import { ofFile } from '../../support/of-file.ts'

const api = ofFile(() => startApi({ now: () => at }))
let at = new Date('2026-03-01T12:00:00Z')

const attempt = (whose: Parameters<typeof countAttempt>[2], action = 'login') =>
  countAttempt(api.services, action, whose)
const tenOf = async (whose: Parameters<typeof countAttempt>[2]) => {
  for (let i = 0; i < MAX_ATTEMPTS; i++) await attempt(whose)
}

test('attempts: a network over its limit uses up no attempts of an e-mail address', async () => {
  await tenOf({ network: '192.0.2.1' })
  for (let i = 0; i < 20; i++) {
    await expect(attempt({ email: 'c@example.com', network: '192.0.2.1' })).rejects.toThrow()
  }
  for (let i = 0; i < MAX_ATTEMPTS_OF_EMAIL; i++) {
    await attempt({ email: 'c@example.com', network: `192.0.2.${i + 2}` })
  }
  await expect(attempt({ email: 'c@example.com', network: '192.0.2.200' })).rejects.toThrow()
})

test('attempts: one that is given back does not count', async () => {
  for (let i = 0; i < 30; i++)
    await (await attempt({ email: 'd@example.com', network: '198.51.100.1' })).giveBack()
  const one = await attempt({ login: 'e@example.com' })
  at = new Date('2026-03-01T12:31:00Z')
  await one.giveBack()
  await tenOf({ login: 'e@example.com' })
  await expect(attempt({ login: 'e@example.com' })).rejects.toThrow()
})

test('attempts: Redis gets neither the e-mail address nor the network', async () => {
  await attempt({ email: 'secret@example.com', network: '203.0.113.77' })
  for (const key of await api.services.redis.keys('attempts:*')) {
    const stored = JSON.stringify(await api.services.redis.hgetall(key))
    expect(stored).not.toMatch(/secret|example|203\.0/)
    expect(await api.services.redis.pttl(key)).toBeGreaterThan(0)
  }
})
