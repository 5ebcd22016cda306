import { z } from 'zod'
import { requireFreshProof } from '../access/accounts/prove-again.ts'
import { acceptInvitation, lookUpInvitation } from '../access/teams/accept-invitation.ts'
import {
  AcceptInvitation,
  CreateInvitation,
  FoundInvitation,
  InvitationList,
  JoinedTeam,
  LookUpInvitation,
  OpenInvitation,
} from '../access/teams/invitation-schema.ts'
import {
  createInvitation,
  listInvitations,
  MAX_INVITATIONS,
  resendInvitation,
  revokeInvitation,
} from '../access/teams/invitations.ts'
import { managerProcedure, openProcedure, PROOF_FIRST, router } from './procedures.ts'
import { signedInPerson, visitorOf, welcome } from './signed-in.ts'

/** For what makes a link. */
const invitingProcedure = managerProcedure.meta({ ...PROOF_FIRST, scope: 'admin' }).use(({ ctx, next }) => {
  requireFreshProof(ctx, ctx.identity.person)
  return next()
})

const InvitationId = z.object({ id: z.string().meta({ format: 'uuid', description: 'Invitation id.' }) })

const NOT_WORKING = 'The link is unknown, used, replaced, revoked or older than seven days'

export const invitationsRouter = router({
  list: managerProcedure
    .meta({
      path: '/api/invitations',
      summary: 'List invitations',
      description: 'Those that nobody has accepted, the newest first; expired ones for another month.',
      answer: 'A bare array, without the links.',
    })
    .output(InvitationList)
    .query(({ ctx }) => listInvitations(ctx, ctx.caller)),
  create: invitingProcedure
    .meta({
      method: 'post',
      path: '/api/invitations',
      ok: 201,
      summary: 'Invite a person to the team',
      description:
        'Makes a link that works for seven days, and only once. Where the service sends mail, it mails the link, at most 50 times a day ' +
        `and team, and 100 times a day and login. A team has at most ${MAX_INVITATIONS} open invitations, one for each address. It ends when you leave the team; ` +
        'one that a token makes ends with the token, which needs all scopes that the role has.',
      answer:
        'The invitation with its link, shown for the only time, and only in a browser: it is null for a token.',
      not_found: 'No such site',
    })
    .input(CreateInvitation)
    .output(OpenInvitation)
    .mutation(({ ctx, input }) => createInvitation(ctx, ctx.caller, ctx.identity.person, input)),
  lookUp: openProcedure
    .meta({
      method: 'post',
      path: '/api/invitations/look-up',
      summary: 'Read what an invitation is for',
      description:
        'The link keeps working. After ten links that do not work, a network waits for up to 15 minutes.',
      answer: 'What the invitation is for.',
      not_found: NOT_WORKING,
    })
    .input(LookUpInvitation)
    .output(FoundInvitation)
    .mutation(({ ctx, input }) => lookUpInvitation(ctx, input, ctx.network)),
  accept: openProcedure
    .meta({
      method: 'post',
      path: '/api/invitations/accept',
      summary: 'Accept an invitation',
      description:
        'With the cookie of a session, that person joins the team, whatever their address. Without one, a login with the invited address and ' +
        'the given password is made, and its session begins.',
      answer: 'The team that was joined.',
      forbidden:
        'A page of another origin sent the request; a login with the invited address exists: sign in first; or passwords are turned off',
      not_found: NOT_WORKING,
    })
    .input(AcceptInvitation)
    .output(JoinedTeam)
    .mutation(async ({ ctx, input }) => {
      const { joined, signedIn } = await acceptInvitation(ctx, input, {
        person: await signedInPerson(ctx),
        ...visitorOf(ctx),
      })
      if (signedIn) await welcome(ctx, signedIn)
      return joined
    }),
  resend: invitingProcedure
    .meta({
      method: 'post',
      path: '/api/invitations/:id/resend',
      summary: 'Make a new link for an invitation',
      description: 'It works for seven days, at most as long as the token that asks. The old link ends.',
      answer:
        'The invitation with its new link, shown for the only time, and only in a browser: it is null for a token.',
      not_found: 'No such invitation',
    })
    .input(InvitationId)
    .output(OpenInvitation)
    .mutation(({ ctx, input }) => resendInvitation(ctx, ctx.caller, ctx.identity.person, input)),
  revoke: managerProcedure
    .meta({
      scope: 'admin',
      method: 'delete',
      path: '/api/invitations/:id',
      summary: 'Revoke an invitation',
      not_found: 'No such invitation',
    })
    .input(InvitationId)
    .output(z.void())
    .mutation(({ ctx, input }) => revokeInvitation(ctx, ctx.caller, input)),
})
