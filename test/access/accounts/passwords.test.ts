import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import {
  hashPassword,
  NewPassword,
  refuseCommonPassword,
  verifyPassword,
} from '../../../src/access/accounts/passwords.ts'

test('passwords: the hash is Argon2id with its parameters, and differs each time', async () => {
  const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(other)
})

test('passwords: only the password itself is right, composed or not, and without a hash none is', async () => {
  const stored = await hashPassword('caf\u00e9 au lait')
  const isRight = { isRight: true, mustRehash: false }
  for (const right of ['caf\u00e9 au lait', 'cafe\u0301 au lait'])
    expect(await verifyPassword(stored, right)).toEqual(isRight)
  for (const wrong of ['caf\u00e9 au lait ', 'Caf\u00e9 au lait', '', 'caf\u00e9 au lait\0'])
    expect(await verifyPassword(stored, wrong)).toEqual({ ...isRight, isRight: false })
  expect(await verifyPassword(null, 'correct horse')).toEqual({ ...isRight, isRight: false })
})

test('passwords: a hash of other parameters is right, and is to be made again', async () => {
  const weak = await hash('correct horse', { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
  expect(await verifyPassword(weak, 'correct horse')).toEqual({ isRight: true, mustRehash: true })
  expect(await verifyPassword(weak, 'wrong horse')).toEqual({ isRight: false, mustRehash: false })
})

test.each([
  ['ten letters', 'abcdefghij', true],
  ['nine letters', 'abcdefghi', false],
  ['ten emoji', '🐴'.repeat(10), true],
  ['nine emoji', '🐴'.repeat(9), false],
  ['1,000 bytes', 'x'.repeat(1_000), true],
  ['1,001 bytes', 'x'.repeat(1_001), false],
  ['1,001 bytes in 501 letters', `${'é'.repeat(500)}x`, false],
  ['spaces', '          ', true],
])('passwords: %s', (_, password, isAllowed) => {
  expect(NewPassword.safeParse(password).success).toBe(isAllowed)
})

test('passwords: a common one and the e-mail address are refused', async () => {
  const common = ['1234567890', 'qwertyuiop', 'QwertyUiop', 'basketball']
  for (const password of [...common, 'Ada@Example.com']) {
    const problem = common.includes(password) ? 'common' : 'address'
    await expect(refuseCommonPassword(password, 'ada@example.com')).rejects.toMatchObject({
      ...{ code: 'validation_failed', fields: { password: [expect.stringContaining(problem)] } },
    })
  }
  await expect(refuseCommonPassword('correct horse', 'ada@example.com')).resolves.toBeUndefined()
})
