import { expect, test } from 'vitest'
import { generateToken, hashToken, isWellFormedToken } from '../../../src/access/teams/token-format.ts'

test('token format: a new token has the prefix, 30 random digits and a checksum', () => {
  expect(generateToken()).toMatch(/^wa_[0-9A-Za-z]{36}$/)
})

test('token format: a thousand tokens are well formed and different', () => {
  const tokens = Array.from({ length: 1000 }, generateToken)
  expect(tokens.every(isWellFormedToken)).toBe(true)
  expect(new Set(tokens).size).toBe(1000)
})

test('token format: all digits are equally likely', () => {
  const counts = new Map<string, number>()
  for (let i = 0; i < 4000; i++) {
    for (const digit of generateToken().slice(3, 33)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  }
  const expected = (4000 * 30) / 62
  expect(counts.size).toBe(62)
  for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.2)
})

test('token format: a token with one changed character is not well formed', () => {
  const token = generateToken()
  for (let i = 0; i < token.length; i++) {
    const changed = token.slice(0, i) + (token[i] === 'x' ? 'y' : 'x') + token.slice(i + 1)
    expect(isWellFormedToken(changed), changed).toBe(false)
  }
})

test.each([
  ['nothing', ''],
  ['the prefix alone', 'wa_'],
  ['no prefix', generateToken().slice(3)],
  ['one character less', generateToken().slice(0, -1)],
  ['one character more', `${generateToken()}a`],
  ['a line feed at the end', `${generateToken()}\n`],
  ['zeros with a wrong checksum', `wa_${'0'.repeat(36)}`],
])('token format: %s is not well formed', (_, token) => {
  expect(isWellFormedToken(token)).toBe(false)
})

test('token format: the hash is the SHA-256 of the whole token', () => {
  expect(hashToken('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
