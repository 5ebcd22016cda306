import { isIPv6 } from 'node:net'
import { keyedHash } from './keyed-hash.ts'

/**
 * The bucket of a sender for a rate limit: a hash, since an address may go nowhere. It changes with the salt of the
 * day, in the middle of no window.
 * @param scope which limit, and what else the bucket is of
 */
export function limitKey(scope: string, address: string, salt: Buffer): string {
  const hash = keyedHash(salt, `limit\n${scope}\n${networkOf(address)}`, 'base64url')
  return `${scope.split('\n', 1)[0]}:${hash.slice(0, 22)}`
}

/** What one sender has: an IPv4 address, or of IPv6 the /64 it may take addresses from at will. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  // An IPv4 address at the end stands for two groups.
  const length = before.length + after.length + (address.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? [] : new Array<string>(8 - length).fill('0')
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}
