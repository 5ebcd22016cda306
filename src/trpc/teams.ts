import { z } from 'zod'
import { PROOF_NEEDED } from '../access/accounts/proof.ts'
import { deleteTeam } from '../access/sites/delete-team.ts'
import { leaveTeam } from '../access/teams/change-user.ts'
import {
  createOwnTeam,
  DeleteTeam,
  getTeam,
  listOwnTeams,
  MAX_TEAMS,
  NameTeam,
  OwnTeam,
  OwnTeamList,
  renameTeam,
  Team,
} from '../access/teams/own-teams.ts'
import {
  authed,
  managerProcedure,
  ownerProcedure,
  personProcedure,
  router,
  teammateProcedure,
} from './procedures.ts'

/** Teams of a person. */
export const teamsRouter = router({
  list: personProcedure
    .meta({
      path: '/api/teams',
      summary: 'List your teams',
      description: 'The header `X-Team` chooses the one in which a request acts.',
      answer: 'A bare array, in the order in which you joined them.',
    })
    .output(OwnTeamList)
    .query(({ ctx }) => listOwnTeams(ctx, ctx.person, ctx.caller)),
  create: personProcedure
    .meta({
      method: 'post',
      path: '/api/teams',
      ok: 201,
      summary: 'Make a team',
      description: `You become its owner. A login owns at most ${MAX_TEAMS} teams.`,
      answer: 'The new team.',
      forbidden: `Only a signed-in person may do this, not a token; a login owns at most ${MAX_TEAMS} teams`,
    })
    .input(NameTeam)
    .output(OwnTeam)
    .mutation(({ ctx, input }) => createOwnTeam(ctx, ctx.person, input)),
})

/** The team in which the caller acts. */
export const teamRouter = router({
  get: authed
    .meta({ path: '/api/team', summary: 'Read the team', answer: 'The team in which the request acts.' })
    .output(Team)
    .query(({ ctx }) => getTeam(ctx, ctx.caller)),
  rename: managerProcedure
    .meta({
      method: 'patch',
      path: '/api/team',
      summary: 'Rename the team',
      description: 'Names need not be unique.',
      answer: 'The team.',
    })
    .input(NameTeam)
    .output(Team)
    .mutation(({ ctx, input }) => renameTeam(ctx, ctx.caller, input)),
  delete: ownerProcedure
    .meta({
      method: 'delete',
      path: '/api/team',
      summary: 'Delete the team',
      description:
        'At once: its users, tokens and invitations end, and nothing of its sites is served any more. The data is removed in the ' +
        'background. Irreversible.',
      forbidden: `Only a signed-in owner of the team may do this. ${PROOF_NEEDED}`,
    })
    .input(DeleteTeam)
    .output(z.void())
    .mutation(({ ctx, input }) => deleteTeam(ctx, ctx.caller, ctx.person, input)),
  leave: teammateProcedure
    .meta({
      method: 'post',
      path: '/api/team/leave',
      summary: 'Leave the team',
      description: 'Your tokens of the team end, and so do the invitations that you sent.',
      forbidden: 'Only a signed-in person may do this, not a token; and not the last owner of the team',
    })
    .output(z.void())
    .mutation(({ ctx }) => leaveTeam(ctx, ctx.caller)),
})
