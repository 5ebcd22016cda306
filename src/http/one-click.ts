import type { RequestHandler } from 'express'
import { unsubscribe } from '../outgoing/notifications/recipients/subscription.ts'
import type { Services } from '../platform/services.ts'
import { chargeCall, networkBucket } from '../trpc/charge.ts'
import { contextOf } from './api/context.ts'

/**
 * Unsubscribes at once: mail programs send this request when their user presses their own button (RFC 8058). It carries no cookie, and its
 * body says nothing more than the address does. Opening the address alone shows a page, because scanners of mails open links.
 */
export function oneClickUnsubscribe(services: Services): RequestHandler {
  return async (req, res) => {
    const context = contextOf(services, req, res)
    await chargeCall(context, [networkBucket('open', context)])
    await unsubscribe(services, String(req.params.token), context.auditNetwork)
    res.status(200).type('text/plain').send('Unsubscribed\n')
  }
}
