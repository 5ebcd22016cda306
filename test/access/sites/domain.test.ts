import { expect, test } from 'vitest'
import { isUuid, normalizeDomain } from '../../../src/access/sites/domain.ts'

const label = (length: number) => 'a'.repeat(length)
const LONGEST = `${label(63)}.${label(63)}.${label(63)}.${label(63)}`

test.each([
  [
    ...['example.com', 'example.com', 'Example.COM', '  example.com\n', 'example.com.'],
    ...['example.com:', 'example。com'],
  ],
  ['example.com', 'http://example.com', 'HTTPS://Example.com', 'ftp://example.com', '//example.com/path'],
  [
    ...['example.com', 'example.com/', 'example.com/path?query#fragment', 'example.com?query=/'],
    'example.com#fragment',
  ],
  ['example.com', 'https://example.com./path', 'https://example.com:443', 'http://example.com:80/'],
  ['example.com:8080', 'example.com.:8080', 'example.com:8080'],
  ['example.com:8443', 'https://example.com:8443/path'],
  ['example.com:80', 'example.com:080'],
  ['example.com:443', 'example.com:443', 'http://example.com:443'],
  ['xn--bcher-kva.de', 'bücher.de', 'BÜCHER.de', 'bu\u0308cher.de', 'xn--bcher-kva.de'],
  ['xn--wgv71a119e.jp', 'https://日本語.jp/パス'],
  ['xn--vi8h.ws', '🍕.ws'],
  ['[::1]', '::1'],
  ['[2001:db8::1]', 'http://[2001:DB8:0:0::1]/'],
])('domains: others are normalized to %s, such as %j', (domain, ...given) => {
  for (const each of [...given, domain]) expect([each, normalizeDomain(each)]).toEqual([each, domain])
})

test('domains: one that is normal stays as it is', () => {
  const names = ['www.example.com', 'a-b.example.com', '1.example.com', 'localhost', 'intranet', '127.0.0.1']
  const ports = ['localhost:3000', '192.168.0.1:8080', '[::1]:3000', 'example.com:65535']
  for (const domain of [...names, ...ports, `${label(63)}.com`, LONGEST])
    expect(normalizeDomain(domain)).toBe(domain)
})

const REFUSED = {
  nothing: ['', '   ', '.', '..', 'http://', 'https:///example.com', '/example.com', '\u200b'],
  dots: ['.example.com', 'example..com', 'example.com..', '1.2.3', '1.2.3.4.5'],
  letters: ['exa mple.com', 'exa\tmple.com', 'example.com\0', 'foo_bar.com', '*.example.com', '<script>'],
  signs: ['example.com,example.org', 'example.com\\path', 'ex%61mple.com', '-example.com', 'example-.com'],
  credentials: ['https://user:secret@example.com:8443/path', 'user@example.com'],
  schemes: ['javascript:alert(1)', 'http:example.com'],
  ports: ['example.com:0', 'example.com:65536', 'example.com:80:80', 'example.com:http', 'example.com:-1'],
  addresses: ['256.1.1.1', '0x7f.1', '2130706433', '[::1', '[example.com]', '[fe80::1%25eth0]'],
  names: ['xn--a', 'xn--zzzzzzzzz.com', '550e8400-e29b-41d4-a716-446655440000'],
  lengths: [`${label(64)}.com`, `${LONGEST}:1`],
}
test.each(Object.entries(REFUSED))('domains: wrong %s are refused', (_, given) => {
  for (const each of given) expect([each, normalizeDomain(each)]).toEqual([each, undefined])
})

test('domains: a UUID in upper or lower case is an id, anything else is a domain', () => {
  const id = '550e8400-e29b-41d4-a716-446655440000'
  for (const uuid of [id, id.toUpperCase()]) expect(isUuid(uuid)).toBe(true)
  for (const other of [id.slice(0, -1), `${id}.com`]) expect(isUuid(other)).toBe(false)
})
