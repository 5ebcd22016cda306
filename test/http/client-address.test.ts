import { expect, test } from 'vitest'
import { createProxyWarning } from '../../src/http/client-address.ts'
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
