import { expect, test } from 'vitest'
import { HostileLink } from '../../src/web/parts/hostile-text.tsx'

test.each<[string, boolean]>([
  ['https://shop.example/a?b#c', true],
  ['HTTP://shop.example', true],
  ['javascript:alert(1)', false],
  ['JavaScript:alert(1)//https://shop.example', false],
  ['data:text/html,<script>alert(1)</script>', false],
  ['//shop.example/a', false],
  ['/a', false],
  ['https://', false],
])('an address from a hit, %s, is a link: %s', (address, isLink) => {
  const { type, props } = HostileLink({ address })
  expect([type, props.href]).toEqual(isLink ? ['a', address] : [expect.any(Function), undefined])
})
