import { expect, test } from 'vitest'
import { addressBehind, createProxyWarning } from '../../src/http/client-address.ts'
import { recordingLog } from '../support/recording-log.ts'

test.each([
  [0, 1],
  [1, 0],
])('TRUST_PROXY=%d: requests with X-Forwarded-For make %d warnings', (trustedHops, count) => {
  const { log, lines } = recordingLog()
  const warn = createProxyWarning(log, trustedHops)
  for (const forwardedFor of [undefined, '203.0.113.9', '203.0.113.9']) warn(forwardedFor)
  expect(lines).toHaveLength(count)
  for (const line of lines)
    expect(line).toMatchObject({ level: 40, msg: expect.stringContaining('TRUST_PROXY') })
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:4711', '203.0.113.9'],
  ['081.002.069.142', '81.2.69.142'],
  ['::ffff:81.2.69.142', '81.2.69.142'],
  ['::FFFF:81.2.69.142', '81.2.69.142'],
  ['0:0:0:0:0:ffff:5102:458e', '81.2.69.142'],
  ['[::ffff:81.2.69.142]:443', '81.2.69.142'],
  ['2003:00f6:0000::0001', '2003:f6::1'],
  ['2003:F6:0:0:0:0:0:1', '2003:f6::1'],
  ['[2003:f6::1]', '2003:f6::1'],
  ['[2003:f6::1]:4711', '2003:f6::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['2003:f6::0.0.0.1', '2003:f6::1'],
])('client address: %s, of a peer and behind a proxy, is %s', (given, address) => {
  expect(addressBehind(given, '', 0)).toBe(address)
  expect(addressBehind('10.0.0.1', `spoofed, ${given}`, 1)).toBe(address)
  expect(addressBehind('10.0.0.1', given, 1)).toBe(address)
})

test.each(['', 'unknown', '999.1.1.1', '1.2.3', 'example.com', '::1::2'])(
  'client address: behind a proxy that writes %j the address is the peer',
  forwardedFor => expect(addressBehind('::ffff:10.0.0.1', forwardedFor, 1)).toBe('10.0.0.1'),
)
