import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { avatarOf } from '../../../src/stats/identity/avatar.ts'
import { nicknameOf } from '../../../src/stats/identity/nickname.ts'

const idOf = (index: number) => {
  const hex = createHash('md5').update(String(index)).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
const ids = Array.from({ length: 20_000 }, (_, index) => idOf(index))

test('nicknames: an id always has the same two words', () => {
  expect(nicknameOf('3f0c9a52-1a55-4c3f-9d2a-0e6f2f1b7c11')).toMatchInlineSnapshot(`"Bronze Quail"`)
  expect(nicknameOf('3F0C9A52-1A55-4C3F-9D2A-0E6F2F1B7C11')).toBe(
    nicknameOf('3f0c9a52-1a55-4c3f-9d2a-0e6f2f1b7c11'),
  )
  for (const id of ids) expect(nicknameOf(id)).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
})

test('nicknames: visitors are spread evenly over at least 100 first and 100 second words', () => {
  const names = ids.map(id => nicknameOf(id).split(' '))
  for (const position of [0, 1]) {
    const counts = new Map<string, number>()
    for (const name of names) counts.set(name[position]!, (counts.get(name[position]!) ?? 0) + 1)
    expect(counts.size).toBeGreaterThanOrEqual(100)
    const even = ids.length / counts.size
    for (const [word, count] of counts) {
      expect(count, word).toBeGreaterThan(even / 2)
      expect(count, word).toBeLessThan(even * 2)
    }
  }
})

test('avatars: an avatar is stable, differs between visitors and contains the nickname', () => {
  const [one, other] = [avatarOf(ids[0]!), avatarOf(ids[1]!)]
  expect(avatarOf(ids[0]!.toUpperCase())).toBe(one)
  expect(other).not.toBe(one)
  expect(one).toContain(`<title>${nicknameOf(ids[0]!)}</title>`)
  expect(new Set(ids.slice(0, 1_000).map(avatarOf)).size).toBe(1_000)
})
