import { isIPv6 } from 'node:net'

/** Returns the network of one sender: an IPv4 address, or the /64 of an IPv6 address (a sender can use all of its addresses). */
export function networkOf(address: string): string {
  return isIPv6(address) ? groupsOf(address, 4) : address
}

/**
 * Returns the network that logs may show in place of an address: the /24 of an IPv4 address, the /48 of an IPv6 address, which
 * many people share. Empty for anything else.
 */
export function auditNetwork(address: string): string {
  if (isIPv6(address)) return `${groupsOf(address, 3)}::/48`
  const [, head] = /^(\d+\.\d+\.\d+)\.\d+$/.exec(address) ?? []
  return head === undefined ? '' : `${head}.0/24`
}

/** Returns the first groups of an IPv6 address without leading zeros. A trailing IPv4 address takes the place of two groups. */
function groupsOf(address: string, count: number): string {
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const length = before.length + after.length + (address.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? [] : new Array<string>(8 - length).fill('0')
  return [...before, ...zeros, ...after]
    .slice(0, count)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}
