import { useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Outputs } from '../../../api/types.ts'
import { useChange } from '../../../api/use-change.ts'
import { useRead } from '../../../api/use-read.ts'
import { serviceAddress } from '../../../app/service-address.ts'
import { refreshSite } from '../../../app/site/site-frame.tsx'
import { useSettings } from '../../../app/use-settings.ts'
import { Answer } from '../../../parts/answer.tsx'
import { Card } from '../../../parts/card.tsx'
import { CodeBlock } from '../../../parts/code-block.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { CheckField } from '../../../parts/form/field.tsx'
import { Empty, FailureNote } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { CreatedShare } from './created-share.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { ShareRow } from './share-row.tsx'

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
      <Answer read={shares}>
        {list =>
          list.length === 0 ? (
            <Empty title={text.noShares} />
          ) : (
            <ul className={css.list}>
              {list.map(share => (
                <ShareRow key={share.id} share={share} />
              ))}
            </ul>
          )
        }
      </Answer>
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
