import { z } from 'zod'
import { CreatedToken, CreateToken, TokenId, TokenList } from '../teams/schema.ts'
import { issueToken, listTokens, revokeToken } from '../teams/tokens.ts'
import { authed, router } from './procedures.ts'

export const tokensRouter = router({
  list: authed.output(TokenList).query(({ ctx }) => listTokens(ctx.db, ctx.caller)),
  create: authed
    .input(CreateToken)
    .output(CreatedToken)
    .mutation(({ ctx, input }) => issueToken(ctx, ctx.caller, input)),
  revoke: authed
    .input(TokenId)
    .output(z.void())
    .mutation(({ ctx, input }) => revokeToken(ctx.db, ctx.caller, input.id)),
})
