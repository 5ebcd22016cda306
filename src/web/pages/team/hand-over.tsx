import { api, inTeam } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON } from '../../app/person/person.tsx'
import { ProofDialog } from '../../app/person/proof.tsx'
import { useText } from '../../text/text.tsx'
import type { TeamProps } from './roles.ts'
import { type User, usersOf } from './team-reads.ts'

interface Props extends TeamProps {
  user: User
  onClose(): void
}

/** Makes another person the owner. */
export function HandOver({ team, user, onClose }: Props) {
  const { team: text } = useText()
  const transfer = useChange(
    (password?: string) => api.users.transfer.mutate({ id: user.id, password }, { context: inTeam(team.id) }),
    [usersOf(team.id), PERSON],
  )
  return (
    <ProofDialog
      title={text.handOver}
      send={text.handOver}
      kind="danger"
      change={transfer}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{text.handOverNote(user.name ?? user.email)}</p>
    </ProofDialog>
  )
}
