import { api, inTeam } from '../../api/client.ts'
import { useAwaySince } from '../../api/connection.ts'
import { useRead } from '../../api/use-read.ts'
import { actIn, type Team, useCurrentTeam, usePerson } from '../../app/person/person.tsx'
import { PlainLayout } from '../../app/plain-layout.tsx'
import { Button, LinkButton } from '../../parts/form/button.tsx'
import { Empty, FailureNote, Skeleton } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import { ListControls, type ListView, useListView } from './list-controls.tsx'
import { SiteTiles } from './site-tiles.tsx'
import css from './sites.module.css'

/** All sites of a team, each with its course in the period. */
export default function Sites() {
  const { sites: text } = useText()
  const person = usePerson()
  const team = useCurrentTeam()
  return (
    <PlainLayout title={text.title}>
      {team ? (
        <TeamSites key={team.id} team={team} teams={person.teams} onTeam={actIn} />
      ) : (
        <>
          <h1>{text.title}</h1>
          <Empty title={text.noTeam}>
            <p>{text.noTeamHint}</p>
          </Empty>
        </>
      )}
    </PlainLayout>
  )
}

interface Props {
  team: Team
  teams: readonly Team[]
  onTeam(id: string): void
}

function TeamSites({ team, teams, onTeam }: Props) {
  const { sites: text } = useText()
  const view = useListView()
  const { period, sort, search } = view
  const sites = useRead(['sites', team.id, period, sort, search], signal =>
    api.sites.list.query({ period, sort, ...(search && { search }) }, { signal, context: inTeam(team.id) }),
  )
  const isAway = useAwaySince() !== undefined
  const mayCreate = team.role !== 'viewer'
  const isNew = sites.data?.length === 0 && search === '' && !sites.isOld
  return (
    <>
      <div className={css.bar}>
        <h1 className={css.title}>{text.title}</h1>
        {!isNew && <ListControls view={view} />}
        <span className={css.grow} />
        {teams.length > 1 && (
          <select
            className={css.select}
            aria-label={text.team}
            value={team.id}
            onChange={event => onTeam(event.target.value)}
          >
            {teams.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
        {mayCreate && !isNew && (
          <LinkButton href="/new" kind="main" className={css.create}>
            {text.create}
          </LinkButton>
        )}
      </div>
      {sites.failure && (sites.data === undefined || sites.isOld) ? (
        <FailureNote failure={sites.failure} again={sites.again} />
      ) : sites.data === undefined ? (
        <Skeleton rows={4} height={120} />
      ) : isNew ? (
        <NoSite mayCreate={mayCreate} />
      ) : sites.data.length === 0 ? (
        <NoMatch view={view} />
      ) : (
        <SiteTiles sites={sites.data} period={period} isOld={sites.isOld || isAway} mayPin={mayCreate} />
      )}
    </>
  )
}

function NoSite({ mayCreate }: { mayCreate: boolean }) {
  const { sites: text } = useText()
  return (
    <Empty title={text.none}>
      {mayCreate && (
        <>
          <p>{text.noneHint}</p>
          <LinkButton href="/new" kind="main">
            {text.create}
          </LinkButton>
        </>
      )}
    </Empty>
  )
}

function NoMatch({ view }: { view: ListView }) {
  const { sites: text, common } = useText()
  return (
    <Empty title={text.noMatch}>
      <Button onClick={() => view.setSearch('')}>{common.actions.clear}</Button>
    </Empty>
  )
}
