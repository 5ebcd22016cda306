import { createHash } from 'node:crypto'
import { escapeXml } from '../../platform/lib/svg.ts'
import { nicknameOf } from './nickname.ts'

const SIZE = 5

/**
 * Returns the generated avatar of a visitor as SVG: 5 × 5 fields, the right half mirrors the left, with a colour from the id.
 * The same id always gives the same avatar; upper and lower case of the id do not matter.
 */
export function avatarOf(visitorId: string): string {
  const hash = createHash('sha256').update(visitorId.toLowerCase()).digest()
  const hue = hash.readUInt16BE(0) % 360
  let fields = ''
  for (let x = 0; x < Math.ceil(SIZE / 2); x++) {
    for (let y = 0; y < SIZE; y++) {
      if (hash[2 + x * SIZE + y]! % 2 === 0) continue
      fields += field(x, y)
      if (x !== SIZE - 1 - x) fields += field(SIZE - 1 - x, y)
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" width="70" height="70" role="img" \
shape-rendering="crispEdges"><title>${escapeXml(nicknameOf(visitorId))}</title>\
<rect width="7" height="7" fill="hsl(${hue},45%,92%)"/><path fill="hsl(${hue},55%,45%)" d="${fields}"/></svg>`
}

const field = (x: number, y: number) => `M${x + 1} ${y + 1}h1v1h-1z`
