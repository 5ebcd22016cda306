import { BlockList, isIP } from 'node:net'
import { z } from 'zod'

const ALLOWED = 'a list of networks, divided by commas, such as 10.0.0.0/8,192.168.1.20/32,fd00::/8'

/** Setting of networks in CIDR notation. */
export const networkList = z
  .string()
  .transform(value => value.split(',').map(network => network.trim()))
  .refine(networks => networks.every(isNetwork), ALLOWED)
  .transform(listOf)

function isNetwork(network: string): boolean {
  const [address = '', prefix = '', ...rest] = network.split('/')
  const version = isIP(address)
  return (
    rest.length === 0 &&
    version !== 0 &&
    /^\d{1,3}$/.test(prefix) &&
    Number(prefix) <= (version === 4 ? 32 : 128)
  )
}

function listOf(networks: string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
