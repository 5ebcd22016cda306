import { api } from '../../../api/client.ts'
import type { Outputs } from '../../../api/types.ts'
import { FilterSummary, filtersOf } from '../../../filters/filter-summary.tsx'
import { useFormat } from '../../../format/format.ts'
import { plainText } from '../../../parts/hostile-text.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import { SettingRow } from '../setting-row.tsx'
import css from '../settings.module.css'
import { SECTIONS } from './sections.ts'
import { ShareDialog } from './share-dialog.tsx'

export type Share = Outputs['shares']['list'][number]

export function ShareRow({ share }: { share: Share }) {
  const { settings: text } = useText()
  const { id } = useSite()
  const isAll = share.sections.length === SECTIONS.length
  return (
    <SettingRow
      edit={close => <ShareDialog share={share} onClose={close} />}
      remove={{
        label: text.revoke,
        title: text.revokeShare,
        question: text.revokeQuestion(plainText(share.name)),
        run: () => api.shares.revoke.mutate({ siteKey: id, id: share.id }),
        changes: [['shares', id]],
      }}
    >
      <p className={css.name}>
        <bdi>{share.name}</bdi>
      </p>
      <p className={css.quiet}>
        {isAll ? text.allSections : share.sections.map(section => text.sections[section]).join(', ')}
      </p>
      <FilterSummary filters={filtersOf(share.filters)} />
      <Facts share={share} />
    </SettingRow>
  )
}

function Facts({ share }: { share: Share }) {
  const { settings: text } = useText()
  const { day, ago } = useFormat()
  const now = new Date()
  const { expires_at: expires, last_used_at: used } = share
  const isOver = expires !== null && new Date(expires) <= now
  const facts = [
    share.has_password && text.hasPassword,
    share.may_export && text.mayExport,
    expires !== null && !isOver && text.expires(day(expires)),
    used === null ? text.neverUsed : text.lastUsed(ago(used, now)),
    share.created_by,
  ]
  return (
    <p className={css.small}>
      {isOver && <span className={css.warning}>{text.expired(day(expires))} · </span>}
      {facts.filter(Boolean).join(' · ')}
    </p>
  )
}
