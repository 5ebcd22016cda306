import { z } from 'zod'
import { type OpenedExport, openHitExport, openRowExport } from '../outgoing/transfer/export/open-export.ts'
import { HitExportQuery, RowExportPath } from '../outgoing/transfer/export/schema.ts'
import { managedSiteProcedure, router } from './procedures.ts'

const Opened = z.custom<OpenedExport>()
const Exporter = z.object({ siteId: z.string(), personId: z.string() })

/**
 * Procedures behind the endpoints that answer with a stream, which no tRPC client can call: they have the checks, limits and roles of every other
 * endpoint. Owners and admins, as for the export of a person.
 */
export const siteExportsRouter = router({
  hits: managedSiteProcedure
    .input(HitExportQuery)
    .output(Opened)
    .query(({ ctx, input }) => openHitExport(ctx, ctx.site, input)),
  rows: managedSiteProcedure
    .input(RowExportPath)
    .output(Opened)
    .query(({ ctx, input }) => openRowExport(ctx, ctx.caller, ctx.site, input)),
  /** Returns who exports which site. Refuses a caller whose access has ended since the download began. */
  access: managedSiteProcedure
    .output(Exporter)
    .query(({ ctx }) => ({ siteId: ctx.site.id, personId: ctx.caller.loginId ?? ctx.caller.userId })),
})
