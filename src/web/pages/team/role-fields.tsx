import { SelectField } from '../../parts/form/field.tsx'
import { useText } from '../../text/text.tsx'
import { isManager, type Role } from './roles.ts'
import { SiteLimit } from './site-limit.tsx'

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
