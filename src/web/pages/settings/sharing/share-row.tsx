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
import css from '../settings.module.css'
import { SECTIONS } from './sections.ts'
import { ShareDialog } from './share-dialog.tsx'

export type Share = Outputs['shares']['list'][number]

export function ShareRow({ share }: { share: Share }) {
  const { settings: text, common } = useText()
  const { id } = useSite()
  const [shown, setShown] = useState<'edit' | 'revoke'>()
  const revoke = useChange(
    () => api.shares.revoke.mutate({ siteKey: id, id: share.id }).then(() => true),
    [['shares', id]],
  )
  const close = () => setShown(undefined)
  const isAll = share.sections.length === SECTIONS.length
  return (
    <li>
      <div className={css.what}>
        <p className={css.name}>
          <bdi>{share.name}</bdi>
        </p>
        <p className={css.quiet}>
          {isAll ? text.allSections : share.sections.map(section => text.sections[section]).join(', ')}
        </p>
        <FilterSummary filters={filtersOf(share.filters)} />
        <Facts share={share} />
      </div>
      <div className={css.buttons}>
        <Button onClick={() => setShown('edit')}>{common.actions.edit}</Button>
        <Button kind="danger" onClick={() => setShown('revoke')}>
          {text.revoke}
        </Button>
      </div>
      {shown === 'edit' && <ShareDialog share={share} onClose={close} />}
      {shown === 'revoke' && (
        <Confirm
          title={text.revokeShare}
          confirm={text.revoke}
          onConfirm={async () => {
            if (await revoke.send(undefined)) close()
          }}
          onClose={close}
          isSending={revoke.isSending}
          failure={revoke.failure}
        >
          <p>{text.revokeQuestion(plainText(share.name))}</p>
        </Confirm>
      )}
    </li>
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
