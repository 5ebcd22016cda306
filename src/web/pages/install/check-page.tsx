import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../parts/form/button.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './install.module.css'

type Installation = Outputs['sites']['checkInstallation']

/** Lets the service look whether the start page of the site has the script. */
export function CheckPage() {
  const { install: text } = useText()
  const { id, mayChange } = useSite()
  const [found, setFound] = useState<Installation>()
  const check = useChange(() => api.sites.checkInstallation.mutate({ siteKey: id }))
  const look = async () => setFound(await check.send(undefined))
  if (!mayChange) return null
  if (!found && !check.isSending && !check.failure) {
    return (
      <p>
        <button type="button" className={css.asLink} onClick={look}>
          {text.check}
        </button>
      </p>
    )
  }
  return (
    <div role="status" className={css.answer}>
      {check.isSending ? (
        <p>{text.checking}</p>
      ) : check.failure ? (
        <FailureNote failure={check.failure} again={look} />
      ) : (
        found && <Found installation={found} again={look} />
      )}
    </div>
  )
}

function Found({ installation, again }: { installation: Installation; again(): void }) {
  const { install: text, common } = useText()
  const { status, url, reason } = installation
  return (
    <>
      <p className={status === 'found' ? css.good : css.bad}>
        {text.checks[status]} {reason && text.reasons[reason]}
      </p>
      <p>{text.checked(url)}</p>
      <Button onClick={again}>{common.actions.again}</Button>
    </>
  )
}
