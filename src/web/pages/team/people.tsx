import { useState } from 'react'
import { type Person, usePerson } from '../../app/person/person.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Menu, type MenuEntry } from '../../parts/overlay/menu.tsx'
import { useText } from '../../text/text.tsx'
import { ChangeUser } from './change-user.tsx'
import { HandOver } from './hand-over.tsx'
import { RemoveUser } from './remove-user.tsx'
import { isManager, rolesToGive, type TeamProps } from './roles.ts'
import { SiteNames } from './site-limit.tsx'
import css from './team.module.css'
import { type User, useUsers } from './team-reads.ts'

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
      <Answer read={users}>
        {list => <DataTable label={text.parts.people} columns={columns} rows={list} keyOf={({ id }) => id} />}
      </Answer>
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
  return (
    <Menu
      trigger="⋯"
      label={text.actionsFor(user.email)}
      align="end"
      entries={entries}
      button={{ kind: 'quiet', className: css.menu, 'aria-label': text.actionsFor(user.email) }}
    />
  )
}
