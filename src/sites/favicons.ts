import { AppError } from '../errors.ts'
import { type Db, statement } from '../infra/db.ts'
import { PUBLIC_INTERNET, type Reach } from '../infra/public-fetch.ts'
import { createRemotePictures, fetchPicture, type Picture } from '../infra/remote-pictures.ts'
import { normalizeDomain } from './domain.ts'
import { letterIcon } from './letter-icon.ts'

export interface Favicons {
  /** @throws AppError `not_found` for a domain that is no site's */
  find(domain: string): Promise<Picture>
}

const isRegistered = statement('find-registered-domain')

/** Twice the time, for https and http, is less than a worker that is told to stop waits for its answers. */
const ICON_REACH: Reach = { ...PUBLIC_INTERNET, timeoutMs: 1_500, maxBytes: 100 * 1024 }
const LIMITS = { maxAtOnce: 16, maxPerMinute: 600 }

/**
 * The icons of registered sites: what the site itself serves as /favicon.ico, over https or else http, if that is a raster
 * image; a letter otherwise.
 */
export function createFavicons(db: Db, now: () => Date, reach: Reach = ICON_REACH): Favicons {
  const icons = createRemotePictures({ load: domain => fetchIcon(domain, reach), ...LIMITS, now })
  return {
    async find(given) {
      const domain = normalizeDomain(given)
      const [site] = domain === undefined ? [] : await isRegistered(db, domain)
      if (domain === undefined || !site) throw new AppError('not_found', 'No such site')
      return icons.find(domain, () => letterIcon(domain))
    },
  }
}

async function fetchIcon(domain: string, reach: Reach) {
  return (
    (await fetchPicture(`https://${domain}/favicon.ico`, reach)) ??
    (await fetchPicture(`http://${domain}/favicon.ico`, reach))
  )
}
