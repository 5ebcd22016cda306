import type { RequestHandler, Response } from 'express'
import { AppError } from '../errors.ts'
import { isUuid } from '../sites/domain.ts'
import type { Favicons } from '../sites/favicons.ts'
import { avatarOf } from '../stats/avatar.ts'
import type { IdentityPictures } from '../stats/identity-pictures.ts'

const YEAR_S = 31_536_000

/** The icon of a registered site, for anybody. */
export function favicon(favicons: Favicons): RequestHandler<{ domain: string }> {
  return async (req, res) => {
    const { type, bytes, maxAgeMs } = await favicons.find(req.params.domain)
    sendImage(res, type, bytes, `public, max-age=${Math.floor(maxAgeMs / 1000)}`)
  }
}

/** The picture of a visitor, for anybody: it says nothing that the id does not. */
export const avatar: RequestHandler<{ file: string }> = (req, res) => {
  const [, id = ''] = /^(.*)\.svg$/.exec(req.params.file) ?? []
  if (!isUuid(id)) throw new AppError('not_found', 'No such avatar')
  sendImage(res, 'image/svg+xml', Buffer.from(avatarOf(id)), `public, max-age=${YEAR_S}, immutable`)
}

/** The picture of an identity, for whoever was given its address. No shared cache keeps it. */
export function identityPicture(
  pictures: IdentityPictures,
): RequestHandler<{ visitor: string; picture: string }> {
  return async (req, res) => {
    const { type, bytes, maxAgeMs } = await pictures.find(req.params.visitor, req.params.picture)
    sendImage(res, type, bytes, `private, max-age=${Math.floor(maxAgeMs / 1000)}`)
  }
}

/** `nosniff` is set for every answer already. */
function sendImage(res: Response, type: string, bytes: Buffer, cacheControl: string): void {
  res
    .set({
      'Content-Type': type,
      'Cache-Control': cacheControl,
      // Dashboards of other origins show them.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      // Opened by itself an SVG is a document: it can do nothing.
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    })
    .send(bytes)
}
