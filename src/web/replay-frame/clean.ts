// Makes events of rrweb anew from those of a recording, with nothing in them that could load, lead or run. What is not known to be harmless
// is left out. A recording is what a stranger sent: every value may be anything.

import { cleanAttributes } from './clean-attributes.ts'
import { cleanCss } from './clean-css.ts'
import { type Given, idOf, indexOf, isGiven, listOf, numberOf, textOf } from './given.ts'
import { EMPTY, FRAMES, HOST, LEFT_OUT_MARK, NOTHING, placeholder, tagOf } from './tags.ts'

/** An event that rrweb may play. */
export interface CleanEvent {
  type: number
  timestamp: number
  data: object
}

const [FULL_SNAPSHOT, INCREMENT, META] = [2, 3, 4]
const [DOCUMENT, DOCTYPE, ELEMENT, TEXT, COMMENT] = [0, 1, 2, 3, 5]

/** Cleans the events of one recording, in their order: which texts are CSS is known from the events before. */
export function createCleaner(): (event: unknown) => CleanEvent | undefined {
  const styles = new Set<number>()
  const textsOfStyles = new Set<number>()
  const links = new Set<number>()

  function cleanNode(given: Given, parent: number | null = null): Given {
    const id = idOf(given.id) ?? 0
    const flags = { ...(given.isShadow === true && { isShadow: true }) }
    if (given.type === DOCTYPE)
      return {
        ...{ type: DOCTYPE, id, name: 'html' },
        ...{ publicId: textOf(given.publicId), systemId: textOf(given.systemId) },
      }
    if (given.type === ELEMENT) return { ...cleanElement(given, id), ...flags }
    if (given.type !== TEXT) return { type: COMMENT, id, textContent: '' }
    const isStyle = given.isStyle === true || (parent !== null && styles.has(parent))
    if (isStyle) textsOfStyles.add(id)
    const text = textOf(given.textContent)
    return {
      type: TEXT,
      id,
      textContent: isStyle ? cleanCss(text) : text,
      ...(isStyle && { isStyle }),
      ...flags,
    }
  }

  function cleanElement(given: Given, id: number): Given {
    const attributes = isGiven(given.attributes) ? given.attributes : {}
    const tagName = tagOf(given.tagName, attributes)
    if (tagName === NOTHING) return { type: ELEMENT, id, tagName, attributes: {}, childNodes: [] }
    const name = tagName.toLowerCase()
    if (name === 'style') styles.add(id)
    if (name === 'a' || name === 'area') links.add(id)
    const cleaned = cleanAttributes(attributes, { isLink: links.has(id) })
    const isPicture = name === 'img' || (name === 'input' && /^image$/i.test(textOf(attributes.type)))
    if (isPicture && !('src' in cleaned)) cleaned.src = placeholder(attributes.width, attributes.height)
    const isFrame = FRAMES.has(textOf(given.tagName).toLowerCase())
    // Blocked elements have a size and nothing else.
    if (isFrame || EMPTY.has(name) || 'rr_width' in cleaned) cleaned[LEFT_OUT_MARK] = ''
    return {
      ...{ type: ELEMENT, id, tagName, attributes: cleaned },
      // What a frame has inside stands for browsers without frames.
      childNodes: isFrame ? [] : listOf(given.childNodes).map(child => cleanNode(child, id)),
      ...(given.isSVG === true && { isSVG: true }),
      ...(given.isCustom === true && tagName.includes('-') && { isCustom: true }),
      ...(given.isShadowHost === true && HOST.test(tagName) && { isShadowHost: true }),
    }
  }

  function cleanMutation(data: Given): Given {
    const adds = listOf(data.adds).filter(({ node }) => isGiven(node) && node.type !== DOCUMENT)
    // A text may be added before the style that it belongs to.
    for (const { node } of adds) {
      const { id, tagName, attributes } = node as Given
      const isStyle = tagOf(tagName, isGiven(attributes) ? attributes : {}).toLowerCase() === 'style'
      const no = idOf(id)
      if (isStyle && no !== null) styles.add(no)
    }
    return {
      removes: listOf(data.removes).map(({ parentId, id, isShadow }) => ({
        ...{ parentId: idOf(parentId), id: idOf(id), isShadow: isShadow === true },
      })),
      adds: adds.map(({ parentId, previousId, nextId, node }) => {
        const parent = idOf(parentId)
        return {
          ...{ parentId: parent, previousId: idOf(previousId), nextId: idOf(nextId) },
          node: cleanNode(node as Given, parent),
        }
      }),
      texts: listOf(data.texts).map(({ id, value }) => {
        const no = idOf(id)
        const text = value === null ? null : textOf(value)
        return {
          id: no,
          value: text !== null && no !== null && textsOfStyles.has(no) ? cleanCss(text) : text,
        }
      }),
      attributes: listOf(data.attributes).map(({ id, attributes }) => ({
        id: idOf(id),
        attributes: cleanAttributes(isGiven(attributes) ? attributes : {}, {
          isChange: true,
          isLink: links.has(idOf(id) ?? 0),
        }),
      })),
    }
  }

  const increments: Record<number, (data: Given) => Given> = {
    0: cleanMutation,
    1: cleanMoves,
    2: ({ type, id, x, y, pointerType }) => ({
      ...{ type: isOneOf(type, 10) ? type : 9, id: idOf(id) ?? -1, x: numberOf(x), y: numberOf(y) },
      pointerType: numberOf(pointerType),
    }),
    3: ({ id, x, y }) => ({ id: idOf(id) ?? -1, x: numberOf(x), y: numberOf(y) }),
    4: sizeOf,
    5: ({ id, text, isChecked }) => ({
      id: idOf(id) ?? -1,
      text: textOf(text),
      isChecked: isChecked === true,
    }),
    6: cleanMoves,
    8: data => ({
      ...styleOf(data),
      removes: listOf(data.removes).map(({ index }) => ({ index: indexOf(index) ?? 0 })),
      adds: listOf(data.adds).map(cleanStyleRule),
      // Only sheets that scripts made can be replaced.
      ...(idOf(data.styleId) !== null && {
        replace: typeof data.replace === 'string' ? cleanCss(data.replace) : undefined,
        replaceSync: typeof data.replaceSync === 'string' ? cleanCss(data.replaceSync) : undefined,
      }),
    }),
    12: cleanMoves,
    13: data => ({
      ...{ ...styleOf(data), index: [indexOf(data.index) ?? 0].flat() },
      ...(isGiven(data.set) && {
        set: {
          ...{ property: textOf(data.set.property), value: cleanCss(textOf(data.set.value)) },
          priority: data.set.priority === 'important' ? 'important' : undefined,
        },
      }),
      ...(isGiven(data.remove) && { remove: { property: textOf(data.remove.property) } }),
    }),
    14: ({ ranges }) => ({
      ranges: listOf(ranges).map(({ start, startOffset, end, endOffset }) => ({
        ...{ start: idOf(start), startOffset: numberOf(startOffset) },
        ...{ end: idOf(end), endOffset: numberOf(endOffset) },
      })),
    }),
    15: ({ id, styles: sheets, styleIds }) => ({
      id: idOf(id) ?? -1,
      styleIds: Array.isArray(styleIds) ? styleIds.map(each => numberOf(each)) : [],
      styles: listOf(sheets).map(({ styleId, rules }) => ({
        ...{ styleId: numberOf(styleId), rules: listOf(rules).map(cleanStyleRule) },
      })),
    }),
  }

  function cleanData(type: unknown, data: Given): object | undefined {
    if (type === META) return { href: '', ...sizeOf(data) }
    if (type === INCREMENT) {
      const clean = isOneOf(data.source, 15) ? increments[data.source] : undefined
      return clean && { source: data.source, ...clean(data) }
    }
    if (type !== FULL_SNAPSHOT || !isGiven(data.node)) return undefined
    const { node, initialOffset } = data
    const childNodes = listOf(node.childNodes).map(child => cleanNode(child))
    if (!childNodes.some(({ tagName }) => tagName === 'html')) return undefined
    const { left, top } = isGiven(initialOffset) ? initialOffset : {}
    return {
      node: {
        ...{ type: DOCUMENT, id: idOf(node.id) ?? 1, childNodes },
        ...(node.compatMode === 'BackCompat' && { compatMode: 'BackCompat' }),
      },
      initialOffset: { left: numberOf(left), top: numberOf(top) },
    }
  }

  return event => {
    if (!isGiven(event) || !isGiven(event.data) || typeof event.timestamp !== 'number') return undefined
    const data = cleanData(event.type, event.data)
    return data && { type: event.type as number, timestamp: event.timestamp, data }
  }
}

const isOneOf = (value: unknown, last: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= last

const styleOf = ({ id, styleId }: Given): Given => ({
  ...(idOf(id) !== null && { id: idOf(id) }),
  ...(idOf(styleId) !== null && { styleId: idOf(styleId) }),
})

const cleanStyleRule = ({ rule, index }: Given): Given => ({
  rule: cleanCss(textOf(rule)),
  index: indexOf(index),
})

const cleanMoves = ({ positions }: Given): Given => {
  const list = listOf(positions).map(({ x, y, id, timeOffset }) => ({
    ...{ x: numberOf(x), y: numberOf(y), id: idOf(id) ?? -1 },
    timeOffset: Math.min(numberOf(timeOffset, 60_000), 0),
  }))
  return { positions: list.length > 0 ? list : [{ x: 0, y: 0, id: -1, timeOffset: 0 }] }
}

const sizeOf = ({ width, height }: Given) => ({
  width: Math.max(1, Math.round(numberOf(width, 10_000))),
  height: Math.max(1, Math.round(numberOf(height, 10_000))),
})
