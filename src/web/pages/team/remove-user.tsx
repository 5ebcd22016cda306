import { api, inTeam } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useText } from '../../text/text.tsx'
import { Ask } from './ask.tsx'
import type { TeamProps } from './roles.ts'
import { invitationsOf, tokensOf, type User, usersOf } from './team-reads.ts'

interface Props extends TeamProps {
  user: User
  onClose(): void
}

export function RemoveUser({ team, user, onClose }: Props) {
  const { team: text } = useText()
  const remove = useChange(
    async (_: undefined) => {
      await api.users.remove.mutate({ id: user.id }, { context: inTeam(team.id) })
      return true as const
    },
    [usersOf(team.id), tokensOf(team.id), invitationsOf(team.id)],
  )
  return (
    <Ask
      title={text.removeFromTeam(user.name ?? user.email)}
      send={text.removeUser}
      change={remove}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{text.removeNote}</p>
    </Ask>
  )
}
