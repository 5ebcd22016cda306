import { isIPv6 } from 'node:net'
import { keyedHash } from './keyed-hash.ts'

/**
 * Returns the rate-limit bucket of a sender. It is a hash, because the client address must not leave the process. It changes
 * with the salt of the day, never within a window.
 * @param scope name of the limit, then, after a newline, anything else that separates buckets
 */
export function limitKey(scope: string, address: string, salt: Buffer): string {
  const hash = keyedHash(salt, `limit\n${scope}\n${networkOf(address)}`, 'base64url')
  return `${scope.split('\n', 1)[0]}:${hash.slice(0, 22)}`
}

/** Returns the network of one sender: an IPv4 address, or the /64 of an IPv6 address (a sender can use all of its addresses). */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  // A trailing IPv4 address takes the place of two groups.
  const length = before.length + after.length + (address.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? [] : new Array<string>(8 - length).fill('0')
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}
