import { expect, test } from 'vitest'
import { enriched } from './hit.ts'

test.each([
  ['/pricing', '/pricing'],
  ['/pricing/?plan=pro#faq', '/pricing/'],
  ['/app#/settings?tab=1', '/app'],
  ['pricing', '/pricing'],
  ['?utm_source=x', '/'],
  ['', '/'],
  ['/caf%C3%A9/%zz', '/caf%C3%A9/%zz'],
  ['/ü/日本', '/ü/日本'],
  ['https://example.com/docs?a=1', '/docs'],
  ['https://example.com', '/'],
  ['/go/https://example.com/x', '/go/https://example.com/x'],
])('URL: the path of %j is %j', (url, path) => {
  expect(enriched({ url }).path).toBe(path)
})

test('URL: a hit without a URL has no path and no tags', () => {
  expect(enriched({ type: 'event', name: 'signup' })).toMatchObject({ path: '', utmSource: '', utmTerm: '' })
})

test('URL: the five tags are read from the query', () => {
  const url = '/?utm_source=a&utm_medium=b&utm_campaign=c&utm_content=d&utm_term=e#utm_source=no'
  const tags = { utmSource: 'a', utmMedium: 'b', utmCampaign: 'c', utmContent: 'd', utmTerm: 'e' }
  expect(enriched({ url })).toMatchObject(tags)
})

test.each([
  ['plus signs are spaces', 'utm_campaign=spring+sale', 'spring sale'],
  ['percent sequences are decoded', 'utm_campaign=spring%20sale%2B', 'spring sale+'],
  ['names are read in any case', 'UTM_Campaign=Spring', 'Spring'],
  ['the first value that is not blank counts', 'utm_campaign=&utm_campaign=a&utm_campaign=b', 'a'],
  ['values are trimmed', 'utm_campaign=%20a%09', 'a'],
  ['names escaped for HTML are read', 'x=1&amp;utm_campaign=a', 'a'],
  ['malformed percent sequences stay', 'utm_campaign=100%&x=%zz', '100%'],
  ['bytes that are no UTF-8 are replaced', 'utm_campaign=caf%E9', 'caf\u{FFFD}'],
  ['encoded surrogates are replaced', 'utm_campaign=%ED%A0%80', '\u{FFFD}\u{FFFD}\u{FFFD}'],
  ['lone surrogates are replaced', 'utm_campaign=a\ud800', 'a\u{FFFD}'],
  ['decoded NULs are removed', 'utm_campaign=a%00b', 'ab'],
])('URL: %s', (_, query, campaign) => {
  expect(enriched({ url: `/?${query}` }).utmCampaign).toBe(campaign)
})

test('URL: a query inside the fragment is ignored', () => {
  expect(enriched({ url: '/#/start?utm_source=a' }).utmSource).toBe('')
})
