import { api, inTeam, type Outputs } from '../../api/client.ts'
import { type Read, useRead } from '../../api/use-read.ts'

export type User = Outputs['users']['list'][number]
export type Invitation = Outputs['invitations']['list'][number]
export type Token = Outputs['tokens']['list'][number]

// Keys of the reads; changes make them read again.
export const usersOf = (teamId: string) => ['users', teamId] as const
export const invitationsOf = (teamId: string) => ['invitations', teamId] as const
export const tokensOf = (teamId: string) => ['tokens', teamId] as const

export const useUsers = (teamId: string): Read<User[]> =>
  useRead(usersOf(teamId), signal => api.users.list.query(undefined, { signal, context: inTeam(teamId) }))

export const useInvitations = (teamId: string): Read<Invitation[]> =>
  useRead(invitationsOf(teamId), signal =>
    api.invitations.list.query(undefined, { signal, context: inTeam(teamId) }),
  )

export const useTokens = (teamId: string): Read<Token[]> =>
  useRead(tokensOf(teamId), signal => api.tokens.list.query(undefined, { signal, context: inTeam(teamId) }))
