import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IPv4 that is private, local, shared, documentation, benchmarking, multicast or reserved (IANA special-purpose). */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** The only IPv6 range in public use. It excludes mapped IPv4, NAT64, unique local, link-local and multicast addresses. */
const GLOBAL_IPV6 = '2000::/3'
/** Parts of that range that are not public hosts: Teredo, ORCHID, 6to4, documentation, AS112. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const specialIPv4 = listOf(SPECIAL_IPV4, 'ipv4')
const globalIPv6 = listOf([GLOBAL_IPV6], 'ipv6')
const specialIPv6 = listOf(SPECIAL_IPV6, 'ipv6')

/** Returns whether a text is an IP address of the public internet; false for a text that is no IP address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIPv4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  return globalIPv6.check(address, 'ipv6') && !specialIPv6.check(address, 'ipv6')
}

function listOf(subnets: string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}
