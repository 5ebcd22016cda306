import { useState } from 'react'
import { api, type Outputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Button } from '../../parts/form/button.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { serviceAddress } from '../../state/places.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './install.module.css'
import { scriptTag } from './snippets.tsx'

/** What to do when nothing comes. */
export function InstallHints({ trackingKey: key }: { trackingKey: string }) {
  const { install: text } = useText()
  const base = serviceAddress()
  return (
    <div className={css.hints}>
      <CheckPage />
      <details className={css.details}>
        <summary>{text.local}</summary>
        <p>{text.localHint}</p>
        <CodeBlock label={text.local} code={scriptTag({ base, key }, ' data-local')} />
      </details>
      <details className={css.details}>
        <summary>{text.blocked}</summary>
        <p>{text.blockedHint}</p>
        <CodeBlock
          label={text.blocked}
          code={`location /t/ {
  proxy_pass ${new URL(base).origin};
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
}`}
        />
        <CodeBlock
          label={text.addLine}
          code={`<script defer src="/t/script.js"\n        data-key="${key}"></script>`}
        />
        <p>{text.blockedProxy}</p>
      </details>
    </div>
  )
}

type Installation = Outputs['sites']['checkInstallation']

/** Lets the service look whether the start page of the site has the script. */
function CheckPage() {
  const { install: text } = useText()
  const { id, mayChange } = useSite()
  const [found, setFound] = useState<Installation>()
  const check = useChange(() => api.sites.checkInstallation.mutate({ siteKey: id }))
  const look = async () => setFound(await check.send())
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
