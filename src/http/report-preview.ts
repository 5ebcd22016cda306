import type { RequestHandler } from 'express'
import type { Services } from '../platform/services.ts'
import { fromProcedure } from '../trpc/procedure-errors.ts'
import { appRouter } from '../trpc/root.ts'
import { contextOf } from './api/context.ts'
import { readQuery } from './api/query.ts'

/** A mail has styles in its elements, and the settings page allows none: the mail stands in a frame, where nothing can run or be loaded. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox; base-uri 'none'; form-action 'none'"

const PARAMETERS = new Set(['frequency', 'language', 'sections', 'team'])

/** Serves the preview of a report as the page of a frame. A frame cannot send a header, so `team` says in which team the person acts. */
export function reportPreview(services: Services): RequestHandler {
  return async (req, res) => {
    const { team, ...input } = readQuery(req.url, PARAMETERS).input
    const context = { ...contextOf(services, req, res), ...(typeof team === 'string' && { team }) }
    const { html } = await appRouter
      .createCaller(context)
      .reports.preview({ siteKey: String(req.params.siteKey), ...input })
      .catch((error: unknown) => {
        throw fromProcedure(error)
      })
    res.setHeader('Content-Security-Policy', POLICY)
    res.status(200).type('text/html').send(html)
  }
}
