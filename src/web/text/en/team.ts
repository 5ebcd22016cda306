import type { Outputs } from '../../api/types.ts'

type Role = Outputs['team']['get']['role']

/** The team: people, invitations, tokens, audit log. */
export const team = {
  newTeam: 'New team',
  newTeamHint: 'You become its owner. It has sites, people and tokens of its own.',
  create: 'Create the team',
  name: 'Name of the team',
  roles: { owner: 'Owner', admin: 'Admin', member: 'Member', viewer: 'Viewer' } satisfies Record<
    Role,
    string
  >,
  roleHints: {
    owner: 'Everything, also the team itself.',
    admin: 'Sites, people, tokens and payments.',
    member: 'Sees the sites, and changes goals and settings.',
    viewer: 'Sees the sites, and changes nothing.',
  } satisfies Record<Role, string>,
}
