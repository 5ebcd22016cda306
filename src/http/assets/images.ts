import type { RequestHandler, Response } from 'express'
import { AppError } from '../../errors.ts'
import { isUuid } from '../../sites/domain.ts'
import type { Favicons } from '../../sites/favicons.ts'
import { avatarOf } from '../../stats/identity/avatar.ts'
import type { IdentityPictures } from '../../stats/identity/identity-pictures.ts'

const YEAR_S = 31_536_000

/** Serves the icon of a registered site. Needs no token. */
export function favicon(favicons: Favicons): RequestHandler<{ domain: string }> {
  return async (req, res) => {
    const { type, bytes, maxAgeMs } = await favicons.find(req.params.domain)
    sendImage(res, type, bytes, `public, max-age=${Math.floor(maxAgeMs / 1000)}`)
  }
}

/** Serves the picture of a visitor. Needs no token: the picture is derived from the id alone. */
export const avatar: RequestHandler<{ file: string }> = (req, res) => {
  const [, id = ''] = /^(.*)\.svg$/.exec(req.params.file) ?? []
  if (!isUuid(id)) throw new AppError('not_found', 'No such avatar')
  sendImage(res, 'image/svg+xml', Buffer.from(avatarOf(id)), `public, max-age=${YEAR_S}, immutable`)
}

/** Serves the picture of an identity. Only its secret address grants access, so shared caches must not store it. */
export function identityPicture(
  pictures: IdentityPictures,
): RequestHandler<{ visitor: string; picture: string }> {
  return async (req, res) => {
    const { type, bytes, maxAgeMs } = await pictures.find(req.params.visitor, req.params.picture)
    sendImage(res, type, bytes, `private, max-age=${Math.floor(maxAgeMs / 1000)}`)
  }
}

/** `nosniff` is not set here: `app.ts` sets it for every answer. */
function sendImage(res: Response, type: string, bytes: Buffer, cacheControl: string): void {
  res
    .set({
      'Content-Type': type,
      'Cache-Control': cacheControl,
      // Dashboards of other origins show these images.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      // An SVG that is opened directly is a document: forbid scripts and everything else in it.
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    })
    .send(bytes)
}
