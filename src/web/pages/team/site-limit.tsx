import { api, inTeam } from '../../api/client.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { Choice } from '../../parts/form/choice.tsx'
import { CheckField } from '../../parts/form/field.tsx'
import { useText } from '../../text/text.tsx'
import css from './team.module.css'

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

interface Props {
  teamId: string
  /** Ids of the sites; null for all. */
  value: string[] | null
  onChange(value: string[] | null): void
}

/** All sites, or those that are chosen. */
export function SiteLimit({ teamId, value, onChange }: Props) {
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
