import { expect, test } from 'vitest'
import { createCleaner } from '../../src/web/replay-frame/clean.ts'
import { cleanCss } from '../../src/web/replay-frame/clean-css.ts'
import { hostileEvents } from './hostile-recording.ts'

const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='

test.each([
  ['a { color: red; width: calc(100% - 2px) }', 'a { color: red; width: calc(100% - 2px) }'],
  ['url(https://a.example/x.png)', 'url("data:,")'],
  ['url( "https://a.example/x.png" )', 'url("data:,")'],
  ["URL('//a.example/x')", 'url("data:,")'],
  ['url(x.png) url(/y)', 'url("data:,") url("data:,")'],
  [String.raw`u\72 l(x)`, 'url("data:,")'],
  [String.raw`\75\72\6c(x)`, 'url("data:,")'],
  [String.raw`\000055rl(x\)y)`, 'url("data:,")'],
  ['url(#shadow)', 'url("#shadow")'],
  [`url(${PIXEL})`, `url("${PIXEL}")`],
  [String.raw`url("data\3aimage/png;,x\22 y")`, String.raw`url("data:image/png;,x\22 y")`],
  ['url(data:text/css;,x) url(data:text/html,x) url(data:,x)', 'url("data:,") url("data:,") url("data:,")'],
  ['url("javascript:run()")', 'url("data:,")'],
  ['@import "x.css" screen; a {}', '@blocked "x.css" screen; a {}'],
  ['@IMPORT url(x.css);', '@blocked url("data:,");'],
  [String.raw`@\69mport url(x);`, '@blocked url("data:,");'],
  ['@media print { a { b: url(x) } }', '@media print { a { b: url("data:,") } }'],
  ['image-set("x.png" 1x)', 'blocked("x.png" 1x)'],
  ['-webkit-image-set(var(--x) 1x)', 'blocked(var(--x) 1x)'],
  ['src("x.png") image("x.png")', 'blocked("x.png") blocked("x.png")'],
  ['a::before { content: "url(x) @import" }', 'a::before { content: "url(x) @import" }'],
  ['/* url(x) */ b', '/* url(x) */ b'],
  [String.raw`"a\" url(x)" url(y)`, String.raw`"a\" url(x)" url("data:,")`],
  // A string ends with its line: what follows is CSS again.
  ['"open\nurl(x)', '"open\nurl("data:,")'],
  ['/* open url(x)', '/* open url(x)'],
  ['url("x', 'url("data:,")'],
  ['url(x', 'url("data:,")'],
  [String.raw`.bg-\[url\(x\)\] { a: b }`, String.raw`.bg-\[url\(x\)\] { a: b }`],
  ['curl(x) my-url(y)', 'curl(x) my-url(y)'],
  ['', ''],
])('css of a recording: %j has no address of another place', (css, cleaned) => {
  expect(cleanCss(css)).toBe(cleaned)
})

test('css of a recording: a long text takes no longer than its length', () => {
  const started = performance.now()
  for (const part of ['\\', 'url(', '"', '/*', '@', 'a', '\\61 ', 'url("', "url('\\"])
    cleanCss(part.repeat(200_000))
  expect(performance.now() - started).toBeLessThan(5_000)
})

interface CleanNode {
  tagName: string
  attributes: Record<string, unknown>
  childNodes: CleanNode[]
  textContent?: string
}

const element = (tagName: string, attributes: object, childNodes: object[] = [], others = {}) => ({
  ...{ type: 2, id: 9, tagName, attributes, childNodes, ...others },
})
const text = (textContent: string) => ({ type: 3, id: 10, textContent })

/** Returns what is made of a node in the first snapshot. */
function cleaned(node: object): CleanNode {
  const html = element('html', {}, [node])
  const event = { type: 2, timestamp: 1, data: { node: { type: 0, id: 1, childNodes: [html] } } }
  const { data } = createCleaner()(event) as unknown as { data: { node: { childNodes: [CleanNode] } } }
  return data.node.childNodes[0].childNodes[0]!
}

const NOTHING = ['template', {}]
test.each<[string, object, unknown[]]>([
  ['script', { src: 'x' }, NOTHING],
  ['SCRIPT', {}, NOTHING],
  ['svg:script', {}, NOTHING],
  ['noscript', {}, NOTHING],
  ['base', { href: 'https://a.example' }, NOTHING],
  ['meta', { 'http-equiv': 'refresh', content: '0; url=x' }, NOTHING],
  ['link', { rel: 'preload', href: 'x' }, NOTHING],
  ['link', { rel: 'import', href: 'x' }, NOTHING],
  ['animate', { attributeName: 'href', to: 'x' }, NOTHING],
  ['constructor', {}, NOTHING],
  ['a b', {}, NOTHING],
  ['link', { rel: 'stylesheet', href: 'x' }, ['style', {}]],
  ['link', { _cssText: 'a { b: url(x) }' }, ['style', { _cssText: 'a { b: url("data:,") }' }]],
  [
    'iframe',
    { src: 'x', srcdoc: '<p>', rr_width: '9px', rr_height: '8.5px' },
    ['div', { rr_width: '9px', rr_height: '8.5px', 'data-left-out': '' }],
  ],
  ['object', { data: 'x', class: 'y' }, ['div', { class: 'y', 'data-left-out': '' }]],
  ['a', { href: 'javascript:run()', ping: 'x', target: '_top' }, ['a', { href: 'about:invalid' }]],
  ['a', { href: 'data:text/html,x', onclick: 'run()', ONFOCUS: 'run()' }, ['a', { href: 'about:invalid' }]],
  [
    'a',
    { href: '#top', 'data-x': 'url(y)', class: 'url(z)' },
    ['a', { href: '#top', 'data-x': 'url(y)', class: 'url(z)' }],
  ],
  ['use', { 'xlink:href': 'x.svg#y' }, ['use', {}]],
  ['use', { href: '#y' }, ['use', { href: '#y' }]],
  ['rect', { fill: 'url(x#y)', filter: 'url(#y)' }, ['rect', { fill: 'url("data:,")', filter: 'url("#y")' }]],
  ['form', { action: 'x', method: 'post' }, ['form', { method: 'post' }]],
  ['button', { formaction: 'x' }, ['button', {}]],
  [
    'video',
    { src: 'x', poster: 'y', autoplay: '', width: '9', rr_mediaState: 'played' },
    ['video', { width: '9', 'data-left-out': '' }],
  ],
  ['source', { srcset: 'x' }, NOTHING],
  ['img', { src: PIXEL, srcset: 'x' }, ['img', { src: PIXEL }]],
  ['canvas', { rr_dataURL: 'x' }, ['canvas', { 'data-left-out': '' }]],
  ['div', { style: 'background: url(x)' }, ['div', { style: 'background: url("data:,")' }]],
  [
    'div',
    { __proto__: { x: 1 }, 'a"b': 'x', rr_width: 'url(x)', rr_scrollTop: 7 },
    ['div', { rr_scrollTop: 7 }],
  ],
])('a recording: <%s %j> becomes what loads, leads and runs nothing', (tagName, attributes, expected) => {
  const node = cleaned(element(tagName, attributes))
  expect([node.tagName, node.attributes]).toEqual(expected)
})

test('a recording: a picture that is not there is a grey one of its size', () => {
  const src = cleaned(element('img', { src: 'x.png', width: '120', height: '80%' })).attributes.src as string
  expect(src).toMatch(/^data:image\/svg\+xml,/)
  expect(decodeURIComponent(src)).toContain("width='120'>")
})

test('a recording: what a frame or a script has inside is left out, and texts of styles are CSS wherever they come from', () => {
  expect(cleaned(element('iframe', {}, [text('x')])).childNodes).toEqual([])
  expect(cleaned(element('script', {}, [text('x')])).childNodes).toEqual([])
  expect(cleaned(element('p', {}, [text('url(x)')])).childNodes[0]!.textContent).toBe('url(x)')
  expect(cleaned(element('style', {}, [text('url(x)')])).childNodes[0]!.textContent).toBe('url("data:,")')
  const clean = createCleaner()
  const mutation = (data: object) =>
    (clean({ type: 3, timestamp: 1, data: { source: 0, ...data } }) as { data: object }).data
  const style = { parentId: 2, nextId: null, node: { ...element('style', {}), id: 20 } }
  const inStyle = { parentId: 20, nextId: null, node: { ...text('url(x)'), id: 21 } }
  expect(mutation({ adds: [inStyle, { ...style, nextId: -1, previousId: -1 }] })).toMatchObject({
    adds: [{ node: { textContent: 'url("data:,")' } }, { nextId: null, previousId: null }],
  })
  expect(
    mutation({
      texts: [
        { id: 21, value: 'url(y)' },
        { id: 30, value: 'url(y)' },
      ],
    }),
  ).toMatchObject({ texts: [{ value: 'url("data:,")' }, { value: 'url(y)' }] })
  expect(
    mutation({
      adds: [{ parentId: 1, node: { type: 0, id: 40, childNodes: [] } }],
      attributes: [
        { id: 9, attributes: { style: { color: ['url(x)', 'important'], top: false }, src: 'x', alt: null } },
      ],
    }),
  ).toMatchObject({
    adds: [],
    attributes: [{ attributes: { style: { color: ['url("data:,")', 'important'], top: false }, alt: null } }],
  })
})

test.each<[string, object, object | undefined]>([
  [
    'rules',
    { source: 8, id: 2, adds: [{ rule: 'a { b: url(x) }', index: [1, 2] }] },
    { adds: [{ rule: 'a { b: url("data:,") }', index: [1, 2] }] },
  ],
  [
    'declarations',
    { source: 13, id: 2, index: [0], set: { property: 'a', value: 'url(x)' } },
    { set: { value: 'url("data:,")' } },
  ],
  [
    'adopted sheets',
    { source: 15, id: 1, styles: [{ styleId: 3, rules: [{ rule: '@import "x"' }] }] },
    { styles: [{ rules: [{ rule: '@blocked "x"' }] }] },
  ],
  [
    'moves',
    { source: 1, positions: [{ x: '1', y: 2, id: 3, timeOffset: 9 }] },
    { positions: [{ x: 0, y: 2, id: 3, timeOffset: 0 }] },
  ],
  ['sizes', { source: 4, width: 1e9, height: -1 }, { width: 10_000, height: 1 }],
  ['canvas', { source: 9, id: 2 }, undefined],
  ['fonts', { source: 10, fontSource: 'url(x)' }, undefined],
  ['media', { source: 7, id: 2, type: 0 }, undefined],
  ['others', { source: 'constructor' }, undefined],
])('a recording: %s are cleaned as well', (_, data, expected) => {
  const event = createCleaner()({ type: 3, timestamp: 1, data })
  if (expected) expect(event?.data).toMatchObject(expected)
  else expect(event).toBeUndefined()
})

test('a recording: what is no event is left out, and nothing of a hostile one names another place', () => {
  for (const event of [
    null,
    1,
    'x',
    [],
    {},
    { type: 5, timestamp: 1, data: {} },
    { type: 2, timestamp: 1, data: {} },
  ])
    expect(createCleaner()(event)).toBeUndefined()
  const clean = createCleaner()
  const events = hostileEvents('http://evil.example', 1).map(clean)
  const TEXTS = ['textContent', 'text', 'value']
  const fetched = JSON.stringify(events, (name, value) => (TEXTS.includes(name) ? undefined : value))
  // Rules and functions that no browser knows may keep their texts.
  expect(fetched.replace(/(?:@blocked |blocked\()\\"[^"]*"/g, '')).not.toContain('evil.example')
  expect(fetched).not.toMatch(/javascript:|hostile script/)
})
