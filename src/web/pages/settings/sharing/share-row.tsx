import { useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Outputs } from '../../../api/types.ts'
import { useChange } from '../../../api/use-change.ts'
import { FilterSummary, filtersOf } from '../../../filters/filter-summary.tsx'
import { useFormat } from '../../../format/format.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { plainText } from '../../../parts/hostile-text.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import { SettingRow } from '../setting-row.tsx'
import css from '../settings.module.css'
import { CreatedShare } from './created-share.tsx'
import { SECTIONS } from './sections.ts'
import { ShareDialog } from './share-dialog.tsx'

export type Share = Outputs['shares']['list'][number]

export function ShareRow({ share }: { share: Share }) {
  const { settings: text } = useText()
  const { id } = useSite()
  const isAll = share.sections.length === SECTIONS.length
  return (
    <SettingRow
      actions={<NewLink share={share} />}
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

/** Makes a new link: nobody can be shown the old one again, and a token is never shown one. */
function NewLink({ share }: { share: Share }) {
  const { settings: text } = useText()
  const { id } = useSite()
  const [isAsking, setAsking] = useState(false)
  const [renewed, setRenewed] = useState<Outputs['shares']['renew']>()
  const renew = useChange(() => api.shares.renew.mutate({ siteKey: id, id: share.id }), [['shares', id]])
  return (
    <>
      <Button onClick={() => setAsking(true)}>{text.renewLink}</Button>
      {isAsking && (
        <Confirm
          title={text.renewLink}
          confirm={text.renewLink}
          onConfirm={async () => {
            const made = await renew.send(undefined)
            if (!made) return
            setAsking(false)
            setRenewed(made)
          }}
          onClose={() => setAsking(false)}
          isSending={renew.isSending}
          failure={renew.failure}
        >
          <p>{text.renewQuestion(plainText(share.name))}</p>
        </Confirm>
      )}
      {renewed && <CreatedShare share={renewed} onClose={() => setRenewed(undefined)} />}
    </>
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
