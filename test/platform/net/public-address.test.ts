import { expect, test } from 'vitest'
import { isPublicAddress } from '../../../src/platform/net/public-addresses.ts'

const LOCAL_V4 = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.1.2.3 169.254.169.254
  169.254.0.1 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255
  198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255`

const LOCAL_V6 = `
  :: ::1 ::2 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:8.8.8.8
  ::ffff:0:127.0.0.1 0:0:0:0:0:ffff:7f00:1 64:ff9b:: 64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1
  2001:0:7f00:1::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1 2620:4f:8000::1 3fff::1
  5f00::1 fc00::1 fd12:3456:789a::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1`

const NO_ADDRESSES = `
  2606:4700::1111%eth0 localhost example.com 2130706433 0x7f000001 017700000001 0177.0.0.1 0x7f.1 127.1
  8.8.8.8. 8.8.8.8:80 [2606:4700::1111]`

const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.255.255
  172.15.255.255 172.32.0.1 192.167.255.255 198.17.255.255 198.20.0.1 223.255.255.255 2001:200::1
  2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001:80b::200e 2A00:1450:4001:80B::200E`

const listed = (addresses: string) => addresses.trim().split(/\s+/)

const OTHERS = [...[LOCAL_V4, LOCAL_V6, NO_ADDRESSES].flatMap(listed), '', ' 8.8.8.8']

test.each(OTHERS)('the address %j is not public', address => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(listed(PUBLIC))('the address %j is public', address => {
  expect(isPublicAddress(address)).toBe(true)
})
