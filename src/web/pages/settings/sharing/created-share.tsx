import type { Outputs } from '../../../api/types.ts'
import { serviceAddress } from '../../../app/service-address.ts'
import { CodeBlock } from '../../../parts/code-block.tsx'
import { Dialog } from '../../../parts/overlay/dialog.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'

interface Props {
  share: Outputs['shares']['create']
  onClose(): void
}

/** The link of a new share, and its frame: both have the secret, which is shown this one time. */
export function CreatedShare({ share, onClose }: Props) {
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
