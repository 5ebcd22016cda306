import { expect, test } from 'vitest'
import { limitKey } from '../../../src/http/hits/sender-limits.ts'
import { auditNetwork, networkOf } from '../../../src/platform/net/networks.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['1::', '1:0:0:0'],
  ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
])('limit keys: the address %s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:DB8::1', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
  ['', ''],
])('networks: of the address %s, logs show %s', (address, network) => {
  expect(auditNetwork(address)).toBe(network)
})

test('limit keys: a key names its scope but not the address, and differs by scope, network and salt', () => {
  const salt = Buffer.alloc(32, 1)
  const key = limitKey('collect', '192.0.2.1', salt)
  expect(key).toMatch(/^collect:[\w-]{22}$/)
  expect(limitKey('collect', '192.0.2.1', salt)).toBe(key)
  expect(limitKey('event', '192.0.2.1', salt)).not.toBe(key)
  expect(limitKey('collect', '192.0.2.2', salt)).not.toBe(key)
  expect(limitKey('collect', '192.0.2.1', Buffer.alloc(32, 2))).not.toBe(key)
  expect(limitKey('identify\nsite', '192.0.2.1', salt)).toMatch(/^identify:/)
})
