import { expect, test } from 'vitest'
import { enriched } from './hit.ts'

test.each([
  ['https://www.google.com/search?q=secret#top', 'www.google.com/search'],
  ['https://News.YCombinator.com/item?id=1', 'news.ycombinator.com/item'],
  ['https://blog.example.org/', 'blog.example.org'],
  ['https://blog.example.org', 'blog.example.org'],
  ['https://blog.example.org/a/', 'blog.example.org/a/'],
  ['http://localhost:5173/x', 'localhost:5173/x'],
  ['https://user:secret@forum.test/thread', 'forum.test/thread'],
  ['https://münchen.de/straße', 'xn--mnchen-3ya.de/stra%C3%9Fe'],
  ['//cdn.test/x', 'cdn.test/x'],
  ['android-app://com.google.android.gm/', 'com.google.android.gm'],
  ['android-app://com.slack', 'com.slack'],
  ['  https://a.test/b ', 'a.test/b'],
  ['reddit.com/r/selfhosted', 'reddit.com/r/selfhosted'],
  ['google.com', 'google.com'],
])('referrer: %j is stored as %j', (referrer, page) => {
  expect(enriched({ referrer }).referrerPage).toBe(page)
})

test.each([
  ...['', '   ', 'null', '(direct)', '$direct', 'not a url', 'index.html', 'v1.2'],
  ...['/relative/path', 'about:blank', 'data:text/html,hi', 'javascript:alert(1)'],
  ...['file:///etc/passwd', 'chrome-extension://abcdef/popup.html', 'mailto:a@example.org'],
  ...['https://', 'https://%00/', 'android-app://'],
])('referrer: %j is ignored', referrer => {
  const direct = { referrerPage: '', source: 'Direct / None', channel: 'Direct' }
  expect(enriched({ referrer })).toMatchObject(direct)
})

test.each([
  ['example.com', 'https://example.com/a'],
  ['example.com', 'https://www.example.com/a'],
  ['www.example.com', 'http://EXAMPLE.com:8080/a'],
  ['Example.com:3000', 'https://example.com./'],
  ['bücher.de', 'https://xn--bcher-kva.de/a'],
  ['example.com', 'example.com/a'],
])('referrer: the site %s ignores its own host %s', (hostname, referrer) => {
  expect(enriched({ hostname, referrer })).toMatchObject({ referrerPage: '', source: 'Direct / None' })
})

test('referrer: another subdomain of the site counts', () => {
  const blog = { referrerPage: 'blog.example.com/a', source: 'blog.example.com', channel: 'Referral' }
  expect(enriched({ referrer: 'https://blog.example.com/a' })).toMatchObject(blog)
})
