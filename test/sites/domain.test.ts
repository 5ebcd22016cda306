import { expect, test } from 'vitest'
import { isUuid, normalizeDomain } from '../../src/sites/domain.ts'

const label = (length: number) => 'a'.repeat(length)

test.each([
  ['example.com', 'example.com'],
  ['Example.COM', 'example.com'],
  ['  example.com\n', 'example.com'],
  ['http://example.com', 'example.com'],
  ['HTTPS://Example.com', 'example.com'],
  ['ftp://example.com', 'example.com'],
  ['//example.com/path', 'example.com'],
  ['example.com/', 'example.com'],
  ['example.com/path?query#fragment', 'example.com'],
  ['example.com?query=/', 'example.com'],
  ['example.com#fragment', 'example.com'],
  ['https://example.com:8443/path', 'example.com:8443'],
  ['example.com.', 'example.com'],
  ['example.com.:8080', 'example.com:8080'],
  ['https://example.com./path', 'example.com'],
  ['example.com:8080', 'example.com:8080'],
  ['example.com:080', 'example.com:80'],
  ['example.com:', 'example.com'],
  ['example.com:443', 'example.com:443'],
  ['https://example.com:443', 'example.com'],
  ['http://example.com:80/', 'example.com'],
  ['http://example.com:443', 'example.com:443'],
  ['example.com:65535', 'example.com:65535'],
  ['www.example.com', 'www.example.com'],
  ['a-b.example.com', 'a-b.example.com'],
  ['1.example.com', '1.example.com'],
  ['localhost', 'localhost'],
  ['localhost:3000', 'localhost:3000'],
  ['intranet', 'intranet'],
  ['bücher.de', 'xn--bcher-kva.de'],
  ['BÜCHER.de', 'xn--bcher-kva.de'],
  ['bu\u0308cher.de', 'xn--bcher-kva.de'],
  ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
  ['https://日本語.jp/パス', 'xn--wgv71a119e.jp'],
  ['example。com', 'example.com'],
  ['🍕.ws', 'xn--vi8h.ws'],
  ['127.0.0.1', '127.0.0.1'],
  ['192.168.0.1:8080', '192.168.0.1:8080'],
  ['::1', '[::1]'],
  ['[::1]:3000', '[::1]:3000'],
  ['http://[2001:DB8:0:0::1]/', '[2001:db8::1]'],
  [`${label(63)}.com`, `${label(63)}.com`],
  [
    `${label(63)}.${label(63)}.${label(63)}.${label(63)}`,
    `${label(63)}.${label(63)}.${label(63)}.${label(63)}`,
  ],
])('domains: %j is normalized to %s', (given, domain) => {
  expect(normalizeDomain(given)).toBe(domain)
  expect(normalizeDomain(domain)).toBe(domain)
})

test.each([
  '',
  '   ',
  '.',
  '..',
  'http://',
  'https:///example.com',
  '/example.com',
  '.example.com',
  'example..com',
  'example.com..',
  '-example.com',
  'example-.com',
  'https://user:secret@example.com:8443/path',
  'user@example.com',
  'exa mple.com',
  'exa\tmple.com',
  'example.com\0',
  'foo_bar.com',
  '*.example.com',
  'example.com,example.org',
  'example.com\\path',
  'ex%61mple.com',
  '<script>',
  'javascript:alert(1)',
  'http:example.com',
  'example.com:0',
  'example.com:65536',
  'example.com:80:80',
  'example.com:http',
  'example.com:-1',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '0x7f.1',
  '2130706433',
  '[::1',
  '[example.com]',
  '[fe80::1%25eth0]',
  'xn--a',
  'xn--zzzzzzzzz.com',
  '\u200b',
  '550e8400-e29b-41d4-a716-446655440000',
  `${label(64)}.com`,
  `${label(63)}.${label(63)}.${label(63)}.${label(63)}:1`,
])('domains: %j is refused', given => {
  expect(normalizeDomain(given)).toBeUndefined()
})

test('domains: a UUID in upper or lower case is an id, anything else is a domain', () => {
  expect(isUuid('550e8400-e29b-41d4-a716-446655440000')).toBe(true)
  expect(isUuid('550E8400-E29B-41D4-A716-446655440000')).toBe(true)
  expect(isUuid('550e8400-e29b-41d4-a716-44665544000')).toBe(false)
  expect(isUuid('550e8400-e29b-41d4-a716-446655440000.com')).toBe(false)
})
