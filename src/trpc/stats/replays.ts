import { z } from 'zod'
import { removeReplay } from '../../ingestion/replays/remove-replay.ts'
import { envelope, paginate } from '../../platform/schema/pagination.ts'
import { getReplays, ReplayRow, ReplaysQuery } from '../../stats/replays/list-replays.ts'
import { getReplay, Replay, ReplayKey, ReplayQuery } from '../../stats/replays/replay-detail.ts'
import { readSessionId } from '../../stats/sessions/session-id.ts'
import { changingSiteProcedure } from '../procedures.ts'
import { unsharedSiteProcedure } from '../shared-site.ts'

export const replayProcedures = {
  // Replays have all that was on a visitor's screen: no share shows them.
  replays: unsharedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/replays',
      summary: 'List session replays',
      description: 'Sessions that started in the range and were recorded, the newest first.',
      answer: 'A page of sessions, with what was recorded of them.',
    })
    .input(ReplaysQuery)
    .output(envelope(ReplayRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getReplays(ctx, ctx.site, input))),
  replay: unsharedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/replays/:session',
      summary: 'Read a session replay',
      description:
        'The events of rrweb that its player needs, chunk by chunk: ask again with `next_cursor` until it is null. It needs no range.',
      answer: 'The session, and some chunks.',
      not_found: 'No such site, or no such replay of it',
    })
    .input(ReplayQuery)
    .output(Replay)
    .query(({ ctx, input }) => getReplay(ctx, ctx.site, input)),
  deleteReplay: changingSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/stats/replays/:session',
      summary: 'Delete a session replay',
      description: 'All recordings of the session. The session stays. Irreversible.',
      not_found: 'No such site, or no such replay of it',
    })
    .input(ReplayKey)
    .output(z.void())
    .mutation(({ ctx, input: { session } }) =>
      removeReplay(ctx, ctx.site, session, readSessionId(session)?.sessionNo),
    ),
}
