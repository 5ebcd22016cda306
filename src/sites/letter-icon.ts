import { createHash } from 'node:crypto'
import { domainToUnicode } from 'node:url'
import { escapeXml } from '../lib/svg.ts'

/** Returns the SVG icon of a site without one: the first character of its name, on a colour derived from the domain. */
export function letterIcon(domain: string): string {
  const name = domainToUnicode(domain.replace(/:\d+$/, '')) || domain
  const [letter = '?'] = name.replace(/^www\.(?=.)/, '').replace(/^[^\p{L}\p{N}]+/u, '')
  const hue = createHash('sha256').update(domain).digest().readUInt16BE(0) % 360
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64" role="img">\
<title>${escapeXml(name)}</title>\
<rect width="64" height="64" rx="14" fill="hsl(${hue},55%,42%)"/>\
<text x="32" y="33" dy=".35em" text-anchor="middle" font-family="system-ui,sans-serif" font-size="36" \
font-weight="600" fill="#fff">${escapeXml(letter.toUpperCase())}</text></svg>`
}
