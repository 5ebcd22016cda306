import { useState } from 'react'
import { api, type Outputs } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { useRead } from '../../../api/use-read.ts'
import { refreshSite, useSettings } from '../../../app/site/site-frame.tsx'
import { FilterSummary, filtersOf } from '../../../filters/filter-summary.tsx'
import { useFormat } from '../../../format/format.ts'
import { Card } from '../../../parts/card.tsx'
import { CodeBlock } from '../../../parts/code-block.tsx'
import { Confirm } from '../../../parts/confirm.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { CheckField } from '../../../parts/form/field.tsx'
import { plainText } from '../../../parts/hostile-text.tsx'
import { Dialog } from '../../../parts/overlay/dialog.tsx'
import { SettingList, SettingRow } from '../../../parts/setting-row.tsx'
import { Answer, FailureNote } from '../../../parts/states.tsx'
import { serviceAddress } from '../../../state/places.ts'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { SECTIONS, ShareDialog } from './share-dialog.tsx'

/** The public page of the site, and links for others. */
export function SharingSettings() {
  return (
    <>
      <PublicSite />
      <Shares />
    </>
  )
}

function PublicSite() {
  const { settings: text } = useText()
  const { id } = useSite()
  const settings = useSettings()
  const [wanted, setWanted] = useState<boolean>()
  const change = useChange((isPublic: boolean) =>
    api.sites.updateSharing.mutate({ siteKey: id, is_public: isPublic }),
  )
  return (
    <Card title={text.publicSite}>
      <Answer read={settings}>
        {({ is_public: isPublic }) => (
          <div className={css.stack}>
            <CheckField
              label={text.isPublic}
              hint={text.isPublicHint}
              checked={wanted ?? isPublic}
              disabled={change.isSending}
              onChange={async event => {
                setWanted(event.target.checked)
                if (await change.send(event.target.checked)) await refreshSite()
                setWanted(undefined)
              }}
            />
            {change.failure && <FailureNote failure={change.failure} />}
            {isPublic && (
              <CodeBlock isWrapped code={`${serviceAddress()}/share/${id}`} label={text.publicLink} />
            )}
          </div>
        )}
      </Answer>
    </Card>
  )
}

function Shares() {
  const { settings: text } = useText()
  const { id } = useSite()
  const shares = useRead(['shares', id], signal => api.shares.list.query({ siteKey: id }, { signal }))
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<Outputs['shares']['create']>()
  return (
    <Card
      title={text.shares}
      note={text.sharesHint}
      action={<Button onClick={() => setAdding(true)}>{text.newShare}</Button>}
    >
      <SettingList read={shares} empty={text.noShares}>
        {share => <ShareRow key={share.id} share={share} />}
      </SettingList>
      {isAdding && (
        <ShareDialog
          onCreated={share => {
            setAdding(false)
            setCreated(share)
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {created && <CreatedShare share={created} onClose={() => setCreated(undefined)} />}
    </Card>
  )
}

export type Share = Outputs['shares']['list'][number]

function ShareRow({ share }: { share: Share }) {
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

/** Makes a new link. The service shows a link once, and never to a token. */
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
          change={renew}
          onDone={made => {
            setAsking(false)
            setRenewed(made)
          }}
          onClose={() => setAsking(false)}
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

interface Props {
  share: Outputs['shares']['create']
  onClose(): void
}

/** The link of a new share, and its frame: both have the secret, which is shown this one time. */
function CreatedShare({ share, onClose }: Props) {
  const { settings: text } = useText()
  const { id, domain } = useSite()
  const frame = `<iframe src="${serviceAddress()}/embed/${id}#${share.secret}"
        title="${domain}" width="100%" height="900" loading="lazy"></iframe>`
  return (
    <Dialog open title={text.shareCreated} onClose={onClose}>
      <div className={css.stack}>
        <p className={css.quiet}>{text.onlyOnce}</p>
        <div>
          <h3>{text.link}</h3>
          <CodeBlock isWrapped code={share.url ?? ''} label={text.link} />
        </div>
        <div>
          <h3>{text.embed}</h3>
          <CodeBlock isWrapped code={frame} label={text.embed} />
          <p className={css.small}>{text.embedHint}</p>
        </div>
      </div>
    </Dialog>
  )
}
