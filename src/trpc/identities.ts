import { z } from 'zod'
import { Proof } from '../access/accounts/account-schema.ts'
import { PROOF_NEEDED, requireProof } from '../access/accounts/proof.ts'
import { startFlow } from '../access/accounts/single-sign-on/flow.ts'
import {
  Identity,
  listIdentities,
  presentIdentity,
  removeIdentity,
} from '../access/accounts/single-sign-on/identities.ts'
import { label } from '../platform/schema/fields.ts'
import { openProcedure, personProcedure, router, SIGN_IN } from './procedures.ts'

const NOT_SET_UP = 'Single sign-on is not set up in this service'

const ReturnTo = z.object({
  return_to: z
    .string()
    .optional()
    .meta({ description: 'Path of this service to go to afterwards; `/` when left out.', example: '/sites' }),
})
const Started = z.object({
  url: label('Address at the provider to send the browser to.', 'https://login.example.com/authorize?…'),
})

export const identitiesRouter = router({
  start: openProcedure
    .meta({
      method: 'post',
      path: '/api/auth/oidc/start',
      summary: 'Begin to sign in with single sign-on',
      description:
        'As `GET`, for a page that has a link for setting up or recovering a login, or an invitation: its secret must not stand in a URL.',
      answer: 'Where to send the browser, which gets a cookie that the way back needs.',
      not_found: NOT_SET_UP,
    })
    .input(
      ReturnTo.extend({
        link: z
          .string()
          .max(200)
          .optional()
          .meta({ description: 'Secret of the link that was opened.', example: '…' }),
      }),
    )
    .output(Started)
    .mutation(async ({ ctx, input }) => {
      const { url, cookie } = await startFlow(ctx, { returnTo: input.return_to, link: input.link })
      ctx.setFlowCookie(cookie)
      return { url }
    }),
  link: personProcedure
    .meta({
      method: 'post',
      path: '/api/account/identities/start',
      summary: 'Begin to link your login to single sign-on',
      answer: 'Where to send the browser, which gets a cookie that the way back needs.',
      not_found: NOT_SET_UP,
      forbidden: `${SIGN_IN}; or: ${PROOF_NEEDED}`,
    })
    .input(ReturnTo.extend(Proof.shape))
    .output(Started)
    .mutation(async ({ ctx, input }) => {
      await requireProof(ctx, ctx.person, input.password)
      const { loginId, sessionId } = ctx.person
      const linking = { loginId, sessionId }
      const { url, cookie } = await startFlow(ctx, { returnTo: input.return_to, linking })
      ctx.setFlowCookie(cookie)
      return { url }
    }),
  list: personProcedure
    .meta({
      path: '/api/account/identities',
      summary: 'List what your login is linked to',
      answer: 'A bare array, the oldest first.',
    })
    .output(z.array(Identity))
    .query(async ({ ctx }) => (await listIdentities(ctx.db, ctx.person)).map(presentIdentity)),
  remove: personProcedure
    .meta({
      method: 'delete',
      path: '/api/account/identities/:id',
      summary: 'End the link to single sign-on',
      description: 'Never the last way to sign in that the login has.',
      not_found: 'No such link to single sign-on',
      forbidden: `${SIGN_IN}; it is the last way to sign in; or: ${PROOF_NEEDED}`,
    })
    .input(Proof.extend({ id: label('Id of the link.', 'a1b2') }))
    .output(z.void())
    .mutation(({ ctx, input }) => removeIdentity(ctx, input)),
})
