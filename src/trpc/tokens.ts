import { z } from 'zod'
import { requireFreshProof } from '../access/accounts/prove-again.ts'
import { issueToken, MAX_LIVE_TOKENS, requireTokenRoom } from '../access/teams/create-token.ts'
import {
  CreatedToken,
  CreateToken,
  RenameToken,
  RevokeToken,
  TokenInfo,
  TokenList,
} from '../access/teams/token-schema.ts'
import { listTokens, renameToken, revokeToken } from '../access/teams/tokens.ts'
import { authed, changingProcedure, PROOF_FIRST, router } from './procedures.ts'

const makerProcedure = changingProcedure
  .meta({
    ...PROOF_FIRST,
    forbidden: `The user has ${MAX_LIVE_TOKENS} tokens that work, as many as one may have; or is a viewer`,
  })
  .use(async ({ ctx, next }) => {
    requireFreshProof(ctx, ctx.identity.person)
    await requireTokenRoom(ctx.db, ctx.caller.userId, ctx.now())
    return next()
  })

export const tokensRouter = router({
  list: authed
    .meta({
      path: '/api/tokens',
      summary: 'List tokens',
      description:
        "The team's for owners and admins, one's own for members and viewers, the newest first. A token that is limited to sites sees " +
        'only those that are limited to some of its sites.',
      answer: 'A bare array; the tokens themselves are not shown again.',
    })
    .output(TokenList)
    .query(({ ctx }) => listTokens(ctx.db, ctx.caller)),
  create: makerProcedure
    .meta({
      method: 'post',
      path: '/api/tokens',
      ok: 201,
      summary: 'Create a token',
      description:
        'It acts as the user of the token that makes it, and never reaches further: not to other sites, not for longer, with no other ' +
        'scope. `admin` is given only by name. A user has at most 50 tokens that work.',
      answer: 'The new token, shown for the only time.',
      not_found: 'No such site',
    })
    .input(CreateToken)
    .output(CreatedToken)
    .mutation(({ ctx, input }) => issueToken(ctx, ctx.caller, input)),
  rename: changingProcedure
    .meta({
      method: 'patch',
      path: '/api/tokens/:id',
      summary: 'Rename a token',
      description:
        'Any token that the caller can list; a token needs the scope `admin` for that of another user. What it may do stays as it is.',
      answer: 'The token.',
      not_found: 'No such token',
    })
    .input(RenameToken)
    .output(TokenInfo)
    .mutation(({ ctx, input }) => renameToken(ctx, ctx.caller, input)),
  revoke: changingProcedure
    .meta({
      method: 'delete',
      path: '/api/tokens/:id',
      summary: 'Revoke a token',
      description:
        'Any token that the caller can list, its own included; a token needs the scope `admin` for that of another user. Tokens that were made ' +
        'through it stay, unless `cascade` is true. Invitations, shares and webhooks that it made end.',
      not_found: 'No such token',
    })
    .input(RevokeToken)
    .output(z.void())
    .mutation(({ ctx, input }) => revokeToken(ctx, ctx.caller, input)),
})
