import { attribute, read } from './dom.ts'
import type { Increment, RecordedNode } from './replay-masks.ts'

/**
 * Returns the attributes that give a picture its own size where the page leaves that to the picture: a player that does not load it can keep
 * its place.
 */
function sizeOf(picture: HTMLImageElement): Record<string, string> {
  const { naturalWidth, naturalHeight } = picture
  const [width, height] = [attribute(picture, 'width'), attribute(picture, 'height')]
  if (!naturalWidth || !naturalHeight || (width && height)) return {}
  const scale = +width! / naturalWidth || +height! / naturalHeight || 1
  return { width: `${Math.round(naturalWidth * scale)}`, height: `${Math.round(naturalHeight * scale)}` }
}

const isPicture = (node: Node | null): node is HTMLImageElement =>
  !!node && read(node as Element, 'localName') === 'img'

/**
 * Adds the sizes of pictures to a serialized tree.
 * @param nodeOf finds the node of a serialized one
 */
export function addSizes(node: RecordedNode, nodeOf: (id: number) => Node | null): void {
  const { id, tagName, attributes, childNodes } = node
  const picture = tagName === 'img' && nodeOf(id)
  if (attributes && picture && isPicture(picture)) Object.assign(attributes, sizeOf(picture))
  for (const child of childNodes || []) addSizes(child, nodeOf)
}

/** Returns the change that gives a picture its size once it is loaded; undefined where it has one, or is not recorded. */
export function sizeChange(node: Node, idOf: (node: Node) => number): Increment | undefined {
  const attributes = isPicture(node) ? sizeOf(node) : {}
  const id = idOf(node)
  if (id <= 0 || !attributes.width) return
  return { source: 0, texts: [], removes: [], adds: [], attributes: [{ id, attributes }] }
}
