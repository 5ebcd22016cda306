import { api, inTeam } from '../../api/client.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import type { Team } from '../../app/person/person.tsx'
import { Choice } from '../../parts/form/choices.tsx'
import { CheckField, SelectField } from '../../parts/form/field.tsx'
import { Answer } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './team.module.css'

interface Props {
  label: string
  teamId: string
  roles: readonly Role[]
  role: Role
  setRole(role: Role): void
  siteIds: string[] | null
  setSiteIds(ids: string[] | null): void
}

/** A role with what it may do, and for members and viewers the sites. Owners and admins reach all of them. */
export function RoleFields({ label, teamId, roles, role, setRole, siteIds, setSiteIds }: Props) {
  const { team } = useText()
  return (
    <>
      <SelectField
        label={label}
        hint={team.roleHints[role]}
        value={role}
        onChange={event => setRole(event.currentTarget.value as Role)}
        options={roles.map(value => ({ value, label: team.roles[value] }))}
      />
      {!isManager(role) && <SiteLimit teamId={teamId} value={siteIds} onChange={setSiteIds} />}
    </>
  )
}

export type Role = Team['role']

const ALL: readonly Role[] = ['owner', 'admin', 'member', 'viewer']

export const isManager = (role: Role): boolean => role === 'owner' || role === 'admin'

/** Roles that a person may give, and whose people they may change: their own and those below. The service decides. */
export const rolesToGive = (role: Role): readonly Role[] =>
  isManager(role) ? ALL.slice(ALL.indexOf(role)) : []

/** What the parts of the page are about. */
export interface TeamProps {
  team: Team
}

interface Site {
  id: string
  domain: string
}

/** The sites of a team by their names. */
const useSites = (teamId: string): Read<Site[]> =>
  useRead(['sites of team', teamId], async signal => {
    const sites = await api.sites.list.query({}, { signal, context: inTeam(teamId) })
    return sites.toSorted((a, b) => a.domain.localeCompare(b.domain))
  })

interface SiteLimitProps {
  teamId: string
  /** Ids of the sites; null for all. */
  value: string[] | null
  onChange(value: string[] | null): void
}

/** All sites, or those that are chosen. */
export function SiteLimit({ teamId, value, onChange }: SiteLimitProps) {
  const { team, common } = useText()
  const sites = useSites(teamId)
  const toggle = (id: string) =>
    onChange(value?.includes(id) ? value.filter(each => each !== id) : [...(value ?? []), id])
  return (
    <div>
      <Choice
        label={team.sites}
        value={value ? 'some' : 'all'}
        options={[
          { value: 'all', label: common.nav.allSites },
          { value: 'some', label: team.someSites },
        ]}
        onChange={choice => onChange(choice === 'all' ? null : [])}
      />
      {value && (
        <Answer read={sites}>
          {list => (
            <div className={css.sites}>
              {list.map(({ id, domain }) => (
                <CheckField
                  key={id}
                  label={domain}
                  checked={value.includes(id)}
                  onChange={() => toggle(id)}
                />
              ))}
            </div>
          )}
        </Answer>
      )}
    </div>
  )
}

/** Names the sites that something is limited to. */
export function SiteNames({ teamId, ids }: { teamId: string; ids: readonly string[] | null }) {
  const { team, common } = useText()
  const sites = useSites(teamId)
  if (!ids) return common.nav.allSites
  const names = ids.map(id => sites.data?.find(site => site.id === id)?.domain ?? team.unknownSite)
  return <bdi title={names.join(', ')}>{names.length === 1 ? names[0] : team.siteCount(names.length)}</bdi>
}
