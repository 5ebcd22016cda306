import { expect, test } from 'vitest'
import { readScripts } from '../../../src/platform/lib/html-scripts.ts'

const read = (html: string) => readScripts(html).scripts.map(script => Object.fromEntries(script))

test.each<[string, Record<string, string>[]]>([
  ['', []],
  ['<script>', [{}]],
  ['<script src="/a.js" data-key="k"></script>', [{ src: '/a.js', 'data-key': 'k' }]],
  ["<SCRIPT Data-Key='k' SRC=/a.js></SCRIPT>", [{ 'data-key': 'k', src: '/a.js' }]],
  ['<script\n\tdefer\n data-key = "k"\nsrc = /a.js >', [{ defer: '', 'data-key': 'k', src: '/a.js' }]],
  ['<script data-key=k/>', [{ 'data-key': 'k/' }]],
  ['<script/data-key="k"/>', [{ 'data-key': 'k' }]],
  ['<script data-key="a>b" src="<script>">', [{ 'data-key': 'a>b', src: '<script>' }]],
  ['<script data-key="1" data-key="2">', [{ 'data-key': '1' }]],
  ['<script data-key="">', [{ 'data-key': '' }]],
  ['<script =a="b">', [{ '=a': 'b' }]],
  ['<p title="<script data-key=k>">', []],
  ['<p title=\'>\'><script id="x">', [{ id: 'x' }]],
  ['<head><script id="a"></script></head><body><div><script id="b"></script>', [{ id: 'a' }, { id: 'b' }]],
  ['<script id="a">write("<script id=b>")</script><script id="c"></script>', [{ id: 'a' }, { id: 'c' }]],
  ['<script id="a">"</scripts>"</script ><script id="b">', [{ id: 'a' }, { id: 'b' }]],
  ['<!-- <script id="a"></script> --><script id="b">', [{ id: 'b' }]],
  ['<!--><script id="a">', [{ id: 'a' }]],
  ['<!-- <script id="a">', []],
  ['<!doctype html><?xml <script id="a"> ?><script id="b">', [{ id: 'b' }]],
  ['<noscript><script id="a"></script></noscript><script id="b">', [{ id: 'b' }]],
  ['<style>p::after { content: "<script id=a>" }</style><script id="b">', [{ id: 'b' }]],
  ['<title><script id="a"></title><script id="b">', [{ id: 'b' }]],
  ['<textarea><script id="a"></TEXTAREA><script id="b">', [{ id: 'b' }]],
  ['<style><script id="a">', []],
  ['1 < 2 <b<script id="a"> << <script id="b">', [{ id: 'b' }]],
  ['</script id="a"><script id="b">', [{ id: 'b' }]],
  ['<scripts id="a"><script-x id="b"><xscript id="c">', []],
  ...['<script id="a', '<script id=', '<script', '<', '</'].map((html): [string, []] => [html, []]),
])('scripts of a page: %j', (html, expected) => {
  expect(read(html)).toEqual(expected)
})

test('scripts of a page: the text has no comments', () => {
  const html = 'a<!-- b --><p>c</p><script>d<!-- e --></script><!-- f'
  expect(readScripts(html).text).toBe('a<p>c</p><script>d<!-- e --></script>')
})

const PARTS = [
  ...['<', '<!--', '<script a=', '<script ', '<style>', '<p a="', '<p a=\'"', '<title></', '</'],
  ...['<a =', '<a/'],
]
test.each(PARTS)('scripts of a page: a page of %j is read in linear time', part => {
  // Quadratic time would take minutes.
  readScripts(part.repeat(1_048_576 / part.length))
})
