// A recording that a stranger made to load, lead and run whatever a browser knows.

const [FULL_SNAPSHOT, INCREMENT, META] = [2, 3, 4]
const [DOCUMENT, DOCTYPE, ELEMENT, TEXT] = [0, 1, 2, 3]

type Node = Record<string, unknown>

/** What a script of it would do. */
const CODE = `console.log('hostile script'); top.postMessage('hostile script', '*')`

/** Everything that has an address, or runs, as `[name, attributes, text, others]`. */
function elements(foreign: string): [string, Node, string?, Node?][] {
  const at = (name: string) => `${foreign}/${name}`
  const svg = { isSVG: true }
  const css = (name: string) => `background-image: url("${at(name)}")`
  return [
    ['script', {}, CODE],
    ['SCRIPT', { src: at('script.js') }],
    ['svg:script', { 'xlink:href': at('svg-script.js') }, CODE, svg],
    ['script', {}, CODE, svg],
    ['noscript', {}, `<img src="${at('noscript.png')}">`],
    ['img', { src: at('img.png'), width: '120', height: '80' }],
    ['img', { srcset: `${at('srcset.png')} 2x`, sizes: '100vw' }],
    ['img', { rr_dataURL: at('data-url.png'), src: at('src.png') }],
    ['img', { src: 'x', onerror: CODE, ONERROR: CODE }],
    ['picture', {}],
    ['source', { srcset: at('source.png'), src: at('source.mp4') }],
    ['video', { src: at('video.mp4'), poster: at('poster.png'), autoplay: '', rr_mediaState: 'played' }],
    ['audio', { src: at('audio.mp3'), autoplay: '' }],
    ['track', { src: at('track.vtt'), default: '' }],
    ['input', { type: 'image', src: at('input.png') }],
    ['canvas', { rr_dataURL: at('canvas.png') }],
    ['iframe', { src: at('iframe.html'), srcdoc: `<script>${CODE}</script><img src="${at('srcdoc.png')}">` }],
    ['iframe', { src: `javascript:${CODE}` }],
    ['frame', { src: at('frame.html') }],
    ['object', { data: at('object.html'), type: 'text/html' }],
    ['embed', { src: at('embed.html') }],
    ['portal', { src: at('portal.html') }],
    ['link', { rel: 'stylesheet', href: at('sheet.css') }],
    ['link', { rel: 'StyleSheet preload', as: 'style', href: at('sheet-2.css') }],
    ['link', { rel: 'preload', as: 'image', href: at('preload.png'), imagesrcset: `${at('set.png')} 1x` }],
    ['link', { rel: 'modulepreload', href: at('module.js') }],
    ['link', { rel: 'import', href: at('import.html') }],
    ...['prefetch', 'prerender', 'icon', 'manifest', 'preconnect', 'dns-prefetch'].map(
      (rel): [string, Node] => ['link', { rel, href: at(rel) }],
    ),
    ['link', { _cssText: `@import "${at('css-import.css')}"; p { ${css('css-text.png')} }` }],
    ['base', { href: `${foreign}/` }],
    ['meta', { 'http-equiv': 'refresh', content: `0; url=${at('refresh.html')}` }],
    ['meta', { 'http-equiv': 'Content-Security-Policy', content: 'img-src *' }],
    ['a', { href: `javascript:${CODE}`, ping: at('ping'), style: 'position: fixed; inset: 0' }, 'Go'],
    ['a', { href: at('link.html'), target: '_top', autofocus: '' }, 'Go'],
    ['a', { href: `data:text/html,<script>${CODE}</script>` }, 'Go'],
    ['form', { action: at('form') }],
    ['button', { formaction: at('button'), onclick: CODE, onmouseover: CODE, onfocus: CODE }],
    ['body', { background: at('body.png'), onload: CODE, onpageshow: CODE }],
    ['table', { background: at('table.png') }],
    ['div', { style: css('style.png'), onpointerenter: CODE }],
    ['div', { style: String.raw`background: u\72l(${at('escaped.png')})` }],
    ['div', { style: `background: image-set("${at('set.png')}" 1x)`, attributionsrc: at('attribution') }],
    [
      'style',
      { _cssText: `@font-face { font-family: x; src: url(${at('font.woff2')}) } * { font-family: x }` },
    ],
    [
      'style',
      {},
      `@\\69mport url(${at('text-import.css')}); html { cursor: url(${at('cursor.png')}), auto }`,
    ],
    ['style', {}, `:root { --x: "${at('var.png')}" } div { background: -webkit-image-set(var(--x) 1x) }`],
    [
      'style',
      {},
      `div::before { content: url(${at('content.png')}) } li { list-style: url(${at('list.png')}) }`,
    ],
    ['image', { href: at('svg-image.png'), width: '9', height: '9' }, '', svg],
    ['image', { 'xlink:href': at('svg-image-2.png'), width: '9', height: '9' }, '', svg],
    ['use', { href: `${at('sprite.svg')}#x` }, '', svg],
    ['feImage', { href: at('fe-image.png') }, '', svg],
    ['rect', { fill: `url(${at('fill.svg')}#x)`, filter: `url(${at('filter.svg')}#x)` }, '', svg],
    ['animate', { attributeName: 'href', to: at('animate.png'), dur: '1s' }, '', svg],
    ['set', { attributeName: 'href', to: at('set.png') }, '', svg],
    ['constructor', {}, 'not a name'],
    ['x-y', { onclick: CODE }, '', { isCustom: true, isShadowHost: true }],
    ['a', {}, 'no host', { isShadowHost: true }],
  ]
}

/** @param foreign origin that must hear nothing */
export function hostileEvents(foreign: string, at: number): object[] {
  let id = 10
  const text = (content: string, isStyle = false): Node => ({
    ...{ type: TEXT, id: id++, textContent: content, ...(isStyle && { isStyle }) },
  })
  const make = ([tagName, attributes, content, others = {}]: [string, Node, string?, Node?]): Node => ({
    ...{ type: ELEMENT, id: id++, tagName, attributes, ...others },
    childNodes: content ? [text(content)] : [],
  })
  const all = elements(foreign)
  const svg = all.filter(([, , , others]) => others?.isSVG).map(make)
  const head = all.filter(([name]) => ['link', 'meta', 'base', 'style', 'script'].includes(name)).map(make)
  const html = {
    ...{ type: ELEMENT, id: 3, tagName: 'html', attributes: { manifest: `${foreign}/manifest` } },
    childNodes: [
      { type: ELEMENT, id: 4, tagName: 'head', attributes: {}, childNodes: head },
      {
        ...{ type: ELEMENT, id: 5, tagName: 'body', attributes: {} },
        childNodes: [
          { type: ELEMENT, id: 6, tagName: 'h1', attributes: {}, childNodes: [text('Here is a page')] },
          ...all.map(make),
          { type: ELEMENT, id: 7, tagName: 'svg', attributes: {}, isSVG: true, childNodes: svg },
          { type: ELEMENT, id: 8, tagName: 'style', attributes: {}, childNodes: [] },
        ],
      },
    ],
  }
  const node = {
    ...{ type: DOCUMENT, id: 1 },
    childNodes: [{ type: DOCTYPE, id: 2, name: 'html', publicId: '', systemId: '' }, html],
  }
  const css = `div { background: url(${foreign}/rule.png) !important }`
  const adds = all.map(element => ({ parentId: 5, nextId: null, node: { ...make(element), childNodes: [] } }))
  const lateId = id++
  const changes: Node[] = [
    { source: 0, texts: [], removes: [], attributes: [], adds },
    {
      ...{ source: 0, removes: [], texts: [{ id: 9, value: css }] },
      adds: [
        // Texts before the style that they belong to, and one that old versions would keep for later.
        { parentId: lateId, nextId: null, node: { type: TEXT, id: id++, textContent: css } },
        { parentId: 5, nextId: -1, previousId: -1, node: { type: TEXT, id: 9, textContent: css } },
        { parentId: 8, nextId: null, previousId: 9, node: { type: TEXT, id: id++, textContent: css } },
        {
          parentId: 5,
          nextId: null,
          node: { type: ELEMENT, id: lateId, tagName: 'style', attributes: {}, childNodes: [] },
        },
      ],
      attributes: [
        ...all.map(([, attributes], index) => ({ id: 11 + index, attributes })),
        {
          id: 6,
          attributes: {
            style: { 'background-image': `url(${foreign}/change.png)`, color: ['red', 'important'] },
          },
        },
        { id: 8, attributes: { _cssText: css } },
      ],
    },
    { source: 8, id: 8, adds: [{ rule: css, index: 0 }], replace: css, replaceSync: css },
    { source: 13, id: 8, index: [0], set: { property: 'background', value: `url(${foreign}/set.png)` } },
    { source: 15, id: 1, styleIds: [1], styles: [{ styleId: 1, rules: [{ rule: css, index: 0 }] }] },
    { source: 10, family: 'y', fontSource: `url(${foreign}/font-face.woff2)`, buffer: false },
    {
      source: 9,
      id: 12,
      type: 0,
      commands: [
        { property: 'drawImage', args: [{ rr_type: 'HTMLImageElement', src: `${foreign}/canvas.png` }] },
      ],
    },
    { source: 7, id: 12, type: 0 },
    { source: 2, type: 2, id: 6, x: 5, y: 5 },
    { source: 2, type: 'constructor', id: 6 },
    { source: 5, id: 6, text: CODE, isChecked: true },
    { source: 1, positions: [{ x: 50, y: 50, id: 6, timeOffset: 0 }] },
    { source: 'constructor' },
  ]
  return [
    { type: META, timestamp: at, data: { href: `javascript:${CODE}`, width: 800, height: 600 } },
    { type: FULL_SNAPSHOT, timestamp: at + 1, data: { node, initialOffset: { left: 0, top: 0 } } },
    ...changes.map((data, index) => ({ type: INCREMENT, timestamp: at + 20 * (index + 1), data })),
    { type: 5, timestamp: at + 380, data: { tag: 'x', payload: CODE } },
    { type: 6, timestamp: at + 390, data: { plugin: 'x', payload: CODE } },
    { type: INCREMENT, timestamp: at + 400, data: { source: 3, id: 1, x: 0, y: 0 } },
  ]
}

/** The same as markup, for a document that is not built by the player. */
export const hostileMarkup = (foreign: string): string =>
  elements(foreign)
    .filter(([name]) => !/preconnect|dns-prefetch|:/.test(name))
    .map(([name, attributes, text = '', others]) => {
      const written = Object.entries(attributes)
        .filter(
          ([attribute, value]) => attribute !== '_cssText' && !/preconnect|dns-prefetch/.test(String(value)),
        )
        .map(
          ([attribute, value]) =>
            ` ${attribute}="${String(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
        )
      const markup = `<${name}${written.join('')}>${text}</${name}>`
      return others?.isSVG ? `<svg>${markup}</svg>` : markup
    })
    .join('\n')
