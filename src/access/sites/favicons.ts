import { createHash } from 'node:crypto'
import { domainToUnicode } from 'node:url'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { escapeXml } from '../../platform/lib/svg.ts'
import { PUBLIC_INTERNET, type Reach } from '../../platform/net/public-fetch.ts'
import { createRemotePictures, fetchPicture, type Picture } from '../../platform/net/remote-pictures.ts'
import { normalizeDomain } from './domain.ts'

/** Returns one row when any team has a site for the domain. */
const findRegisteredDomain = query<{ domain: string }>(
  'find-registered-domain',
  'select from sites where domain = :domain and deleted_at is null limit 1',
)

/** Twice this timeout (https, then http) must be shorter than the time a stopping worker waits for open requests. */
const ICON_REACH: Reach = { ...PUBLIC_INTERNET, timeoutMs: 1_500, maxBytes: 100 * 1024 }
const LIMITS = { maxAtOnce: 16, maxPerMinute: 600 }

/**
 * Creates the source of icons of registered sites: the site's own /favicon.ico, over https or else http, if that is a raster
 * image; otherwise an icon with a letter.
 */
export function createFavicons(db: Db, now: () => Date, reach: Reach = ICON_REACH) {
  const icons = createRemotePictures({ load: domain => fetchIcon(domain, reach), ...LIMITS, now })
  return {
    /** @throws AppError `not_found` for a domain without a registered site */
    async find(given: string): Promise<Picture> {
      const domain = normalizeDomain(given)
      const [site] = domain === undefined ? [] : await findRegisteredDomain(db, { domain })
      if (domain === undefined || !site) throw new AppError('not_found', 'No such site')
      return icons.find(domain, () => letterIcon(domain))
    },
  }
}

export type Favicons = ReturnType<typeof createFavicons>

const fetchIcon = async (domain: string, reach: Reach) =>
  (await fetchPicture(`https://${domain}/favicon.ico`, reach)) ??
  (await fetchPicture(`http://${domain}/favicon.ico`, reach))

/** Returns the SVG icon of a site without one: the first character of its name, on a colour derived from the domain. */
function letterIcon(domain: string): string {
  const name = domainToUnicode(domain.replace(/:\d+$/, '')) || domain
  const [letter = '?'] = name.replace(/^www\.(?=.)/, '').replace(/^[^\p{L}\p{N}]+/u, '')
  const hue = createHash('sha256').update(domain).digest().readUInt16BE(0) % 360
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64" role="img">\
<title>${escapeXml(name)}</title>\
<rect width="64" height="64" rx="14" fill="hsl(${hue},55%,42%)"/>\
<text x="32" y="33" dy=".35em" text-anchor="middle" font-family="system-ui,sans-serif" font-size="36" \
font-weight="600" fill="#fff">${escapeXml(letter.toUpperCase())}</text></svg>`
}
