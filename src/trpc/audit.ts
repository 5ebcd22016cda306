import { AuditLogEntry, AuditLogQuery, listAuditEntries } from '../access/audit/list-entries.ts'
import { envelope, paginate } from '../platform/schema/pagination.ts'
import { managerProcedure, router } from './procedures.ts'

export const auditRouter = router({
  list: managerProcedure
    .meta({
      path: '/api/audit-log',
      summary: 'Read the audit log',
      description: 'Who did what in the team, the newest first. Entries are kept for one year.',
      answer: 'A page of entries.',
    })
    .input(AuditLogQuery)
    .output(envelope(AuditLogEntry))
    .query(async ({ ctx, input }) =>
      paginate(ctx, input, await listAuditEntries(ctx.db, ctx.caller.teamId, input)),
    ),
})
