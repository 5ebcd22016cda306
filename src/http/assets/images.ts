import type { Request, RequestHandler, Response } from 'express'
import { isUuid } from '../../access/sites/domain.ts'
import type { Favicons } from '../../access/sites/favicons.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { avatarOf } from '../../stats/identity/avatar.ts'
import type { IdentityPictures } from '../../stats/identity/identity-pictures.ts'
import { chargeCall, networkBucket } from '../../trpc/charge.ts'
import { contextOf } from '../api/context.ts'

const YEAR_S = 31_536_000

/** Serves the icon of a registered site. Needs no token, and counts for the address of the client. */
export function favicon(services: Services, favicons: Favicons): RequestHandler<{ domain: string }> {
  return async (req, res) => {
    await chargeNetwork(services, req, res)
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

/**
 * Serves the picture of an identity. Only its secret address grants access, so shared caches must not store it. Counts for the address of
 * the client.
 */
export function identityPicture(
  services: Services,
  pictures: IdentityPictures,
): RequestHandler<{ visitor: string; picture: string }> {
  return async (req, res) => {
    await chargeNetwork(services, req, res)
    const { type, bytes, maxAgeMs } = await pictures.find(req.params.visitor, req.params.picture)
    sendImage(res, type, bytes, `private, max-age=${Math.floor(maxAgeMs / 1000)}`)
  }
}

/**
 * Charges a request to a limit of its address: a picture may cost a look-up and a request to another server. The limit is apart from that
 * of sign-in, which a page with many pictures must not use up.
 */
function chargeNetwork(services: Services, req: Request, res: Response): Promise<void> {
  const context = contextOf(services, req, res)
  return chargeCall(context, [networkBucket('pictures', context)])
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
