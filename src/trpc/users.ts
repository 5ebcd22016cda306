import { z } from 'zod'
import { PROOF_NEEDED } from '../access/accounts/proof.ts'
import { changeUser, removeUser, transferTeam } from '../access/teams/change-user.ts'
import { listUsers } from '../access/teams/list-users.ts'
import { ChangeUser, RemoveUser, TeamUser, TransferTeam, UserList } from '../access/teams/user-schema.ts'
import { authed, managerProcedure, ownerProcedure, router } from './procedures.ts'

export const usersRouter = router({
  list: authed
    .meta({
      path: '/api/users',
      summary: 'List the people of the team',
      description:
        'In the order in which they joined. Owners and admins see what each may do where, and when they last signed in. A user who is ' +
        'limited to sites sees only themselves.',
      answer: 'A bare array.',
      forbidden: 'The token is limited to sites',
    })
    .output(UserList)
    .query(({ ctx }) => listUsers(ctx.db, ctx.caller)),
  change: managerProcedure
    .meta({
      scope: 'admin',
      method: 'patch',
      path: '/api/users/:id',
      summary: 'Change the role and the sites of a user',
      description:
        'Counts from the next request of the user. Owners change everybody, admins everybody but owners; nobody gives a role above ' +
        'their own. Nobody changes their own role, except an owner who is not the last. A token needs all scopes that the role has: `read`, and ' +
        'for every role but `viewer` also `write`.',
      answer: 'The user.',
      not_found: 'No such user, or no such site',
    })
    .input(ChangeUser)
    .output(TeamUser)
    .mutation(({ ctx, input }) => changeUser(ctx, ctx.caller, input)),
  remove: managerProcedure
    .meta({
      scope: 'admin',
      method: 'delete',
      path: '/api/users/:id',
      summary: 'Remove a user from the team',
      description: 'Their tokens of the team end, and so do the invitations that they sent.',
      not_found: 'No such user',
    })
    .input(RemoveUser)
    .output(z.void())
    .mutation(({ ctx, input }) => removeUser(ctx, ctx.caller, input)),
  transfer: ownerProcedure
    .meta({
      method: 'post',
      path: '/api/users/:id/transfer',
      summary: 'Hand the team over',
      description: 'The user becomes owner, and you become admin.',
      answer: 'The new owner.',
      forbidden: `Only a signed-in owner of the team may do this. ${PROOF_NEEDED}`,
      not_found: 'No such user',
    })
    .input(TransferTeam)
    .output(TeamUser)
    .mutation(({ ctx, input }) => transferTeam(ctx, ctx.caller, ctx.person, input)),
})
