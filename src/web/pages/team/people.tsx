import { useState } from 'react'
import { api, type Inputs, inTeam } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON, type Person, usePerson } from '../../app/person/person.tsx'
import { ProofDialog } from '../../app/person/proof.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Editor } from '../../parts/editor.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { type MenuEntry, RowMenu } from '../../parts/overlay/menu.tsx'
import { useText } from '../../text/text.tsx'
import { isManager, RoleFields, rolesToGive, SiteNames, type TeamProps } from './roles.tsx'
import css from './team.module.css'
import { invitationsOf, tokensOf, type User, usersOf, useUsers } from './team-reads.ts'

type Action = 'change' | 'hand over' | 'remove'

/** People of the team with their roles. */
export function People({ team }: TeamProps) {
  const { team: text } = useText()
  const person = usePerson()
  const users = useUsers(team.id)
  const [chosen, setChosen] = useState<{ user: User; action: Action }>()
  const close = () => setChosen(undefined)
  const columns = useColumns(team, person, (user, action) => setChosen({ user, action }))
  const props = chosen && { team, user: chosen.user, onClose: close }
  return (
    <Card title={text.parts.people}>
      <ListTable read={users} label={text.parts.people} columns={columns} keyOf={({ id }) => id} />
      {props && chosen.action === 'change' && <ChangeUser {...props} />}
      {props && chosen.action === 'hand over' && <HandOver {...props} />}
      {props && chosen.action === 'remove' && <RemoveUser {...props} />}
    </Card>
  )
}

function useColumns(
  team: TeamProps['team'],
  person: Person,
  onAction: (user: User, action: Action) => void,
): Column<User>[] {
  const { team: text } = useText()
  const { time } = usePlainFormat()
  const columns: Column<User>[] = [
    {
      name: 'person',
      label: text.person,
      cell: user => <Name user={user} isSelf={user.email === person.email} />,
    },
    { name: 'role', label: text.role, cell: ({ role }) => text.roles[role] },
  ]
  if (!isManager(team.role)) return columns
  return [
    ...columns,
    {
      name: 'sites',
      label: text.sites,
      isWide: true,
      cell: ({ site_ids }) => <SiteNames teamId={team.id} ids={site_ids ?? null} />,
    },
    {
      name: 'last',
      label: text.lastSignIn,
      isWide: true,
      cell: ({ last_login_at, has_login }) =>
        last_login_at ? time(last_login_at) : has_login ? text.never : text.notSetUp,
    },
    {
      name: 'actions',
      label: '',
      isNumber: true,
      cell: user => <Actions {...{ team, user, onAction }} isSelf={user.email === person.email} />,
    },
  ]
}

function Name({ user, isSelf }: { user: User; isSelf: boolean }) {
  const { team } = useText()
  return (
    <div className={css.name}>
      <span className={css.line}>
        <bdi>{user.name ?? user.email}</bdi>
        {isSelf && <span className={css.tag}>{team.you}</span>}
      </span>
      {user.name !== null && <p className={css.quiet}>{user.email}</p>}
    </div>
  )
}

interface ActionsProps extends TeamProps {
  user: User
  isSelf: boolean
  onAction(user: User, action: Action): void
}

function Actions({ team, user, isSelf, onAction }: ActionsProps) {
  const { team: text } = useText()
  const isOwner = team.role === 'owner'
  // An owner may step back; all others leave their own role to others.
  const mayChange = rolesToGive(team.role).includes(user.role) && (!isSelf || isOwner)
  const entries: MenuEntry[] = []
  if (mayChange) {
    entries.push({ name: 'change', label: text.changeUser, onChoose: () => onAction(user, 'change') })
  }
  if (isOwner && !isSelf && user.has_login) {
    entries.push({ name: 'hand over', label: text.handOver, onChoose: () => onAction(user, 'hand over') })
  }
  if (mayChange && !isSelf) {
    entries.push({
      name: 'remove',
      label: text.removeUser,
      isDanger: true,
      onChoose: () => onAction(user, 'remove'),
    })
  }
  if (entries.length === 0) return null
  return <RowMenu label={text.actionsFor(user.email)} entries={entries} />
}

interface Props extends TeamProps {
  user: User
  onClose(): void
}

/** Changes the role of a person, and the sites that they are limited to. */
function ChangeUser({ team, user, onClose }: Props) {
  const { team: text } = useText()
  const [role, setRole] = useState(user.role)
  const [siteIds, setSiteIds] = useState(user.site_ids ?? null)
  const change = useChange(
    (input: Inputs['users']['change']) => api.users.change.mutate(input, { context: inTeam(team.id) }),
    [usersOf(team.id), PERSON],
  )
  return (
    <Editor
      title={user.name ?? user.email}
      change={change}
      inputOf={() => ({ id: user.id, role, site_ids: isManager(role) ? null : siteIds })}
      problem={messagesAt(change.failure, 'site_ids')?.join(' · ')}
      onClose={onClose}
    >
      <RoleFields
        label={text.role}
        teamId={team.id}
        roles={rolesToGive(team.role)}
        {...{ role, setRole, siteIds, setSiteIds }}
      />
    </Editor>
  )
}

/** Makes another person the owner. */
function HandOver({ team, user, onClose }: Props) {
  const { team: text } = useText()
  const transfer = useChange(
    (password: string | undefined) =>
      api.users.transfer.mutate({ id: user.id, password }, { context: inTeam(team.id) }),
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

function RemoveUser({ team, user, onClose }: Props) {
  const { team: text } = useText()
  const remove = useChange(
    () => api.users.remove.mutate({ id: user.id }, { context: inTeam(team.id) }),
    [usersOf(team.id), tokensOf(team.id), invitationsOf(team.id)],
  )
  return (
    <Confirm
      title={text.removeFromTeam(user.name ?? user.email)}
      confirm={text.removeUser}
      change={remove}
      onClose={onClose}
    >
      <p>{text.removeNote}</p>
    </Confirm>
  )
}
