import { z } from 'zod'
import { CreatedToken, CreateToken, RevokeToken, TokenList } from '../teams/schema.ts'
import { issueToken, listTokens, MAX_LIVE_TOKENS, requireTokenRoom, revokeToken } from '../teams/tokens.ts'
import { authed, router } from './procedures.ts'

const makerProcedure = authed
  .meta({ forbidden: `The user has ${MAX_LIVE_TOKENS} tokens that work, as many as one may have` })
  .use(async ({ ctx, next }) => {
    await requireTokenRoom(ctx.db, ctx.caller.userId, ctx.now())
    return next()
  })

export const tokensRouter = router({
  list: authed.output(TokenList).query(({ ctx }) => listTokens(ctx.db, ctx.caller)),
  create: makerProcedure
    .input(CreateToken)
    .output(CreatedToken)
    .mutation(({ ctx, input }) => issueToken(ctx, ctx.caller, input)),
  revoke: authed
    .input(RevokeToken)
    .output(z.void())
    .mutation(({ ctx, input }) => revokeToken(ctx.db, ctx.caller, input)),
})
