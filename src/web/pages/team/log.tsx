import { api, type Inputs, inTeam, type Outputs } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { useAddress, usePage } from '../../state/address.ts'
import { useText } from '../../text/text.tsx'
import type { TeamProps } from './roles.tsx'
import css from './team.module.css'
import { useUsers } from './team-reads.ts'

type Entry = Outputs['audit']['list']['data'][number]
type Action = NonNullable<Inputs['audit']['list']['action']>

/** Who did what in the team, a page at a time, of one action or one person. */
export function Log({ team }: TeamProps) {
  const { team: text } = useText()
  const { params, change } = useAddress()
  const [page, onPage] = usePage()
  const action = params.get('action') ?? ''
  const user = params.get('user') ?? ''
  const input = {
    page,
    ...(Object.hasOwn(text.actions, action) && { action: action as Action }),
    ...(user !== '' && { user_id: user }),
  }
  const log = useRead(['audit', team.id, input], signal =>
    api.audit.list.query(input, { signal, context: inTeam(team.id) }),
  )
  const columns = useColumns()
  return (
    <Card title={text.parts.log} note={text.logNote}>
      <div className={css.filters}>
        <ActionFilter value={action} onChange={value => change({ action: value || null, page: null })} />
        <UserFilter
          team={team}
          value={user}
          onChange={value => change({ user: value || null, page: null })}
        />
      </div>
      <ListTable
        read={log}
        empty={text.noEntries}
        label={text.parts.log}
        columns={columns}
        keyOf={({ at }, index) => `${at} ${index}`}
        onPage={onPage}
      />
    </Card>
  )
}

interface FilterProps {
  value: string
  onChange(value: string): void
}

function ActionFilter({ value, onChange }: FilterProps) {
  const { team } = useText()
  const actions = Object.entries(team.actions).sort(([, a], [, b]) => a.localeCompare(b))
  return (
    <SelectField
      label={team.what}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      options={[
        { value: '', label: team.everything },
        ...actions.map(([action, label]) => ({ value: action, label })),
      ]}
    />
  )
}

function UserFilter({ team, value, onChange }: FilterProps & TeamProps) {
  const { team: text } = useText()
  const users = useUsers(team.id)
  return (
    <SelectField
      label={text.who}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      options={[
        { value: '', label: text.everyone },
        ...(users.data ?? []).map(({ id, name, email }) => ({ value: id, label: name ?? email })),
      ]}
    />
  )
}

function useColumns(): Column<Entry>[] {
  const { team } = useText()
  const { time } = usePlainFormat()
  return [
    {
      name: 'what',
      label: team.what,
      cell: entry => (
        <div className={css.name}>
          {team.actions[entry.action]}
          <Details entry={entry} />
        </div>
      ),
    },
    { name: 'who', label: team.who, cell: ({ actor }) => <HostileText isWrapped>{actor}</HostileText> },
    { name: 'when', label: team.when, cell: ({ at }) => <span className={css.time}>{time(at)}</span> },
    { name: 'network', label: team.network, isWide: true, cell: ({ network }) => network },
  ]
}

/** What else the log has to say, with the names of the API. */
function Details({ entry: { details } }: { entry: Entry }) {
  const given = Object.entries(details).filter(([, value]) => value !== null && value !== '')
  if (given.length === 0) return null
  const text = given.map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`)
  return (
    <p className={css.quiet}>
      <HostileText isWrapped>{text.join(' · ')}</HostileText>
    </p>
  )
}
