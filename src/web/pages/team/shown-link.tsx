import type { Outputs } from '../../api/types.ts'
import { usePlainFormat } from '../../format/format.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import css from './team.module.css'

/** An invitation with its link. */
export type Opened = Outputs['invitations']['create']

/** The link of an invitation, shown for the only time. */
export function ShownLink({ opened, onClose }: { opened: Opened; onClose(): void }) {
  const { team } = useText()
  const { time } = usePlainFormat()
  const { email, url, mailed, expires_at } = opened
  return (
    <Dialog open title={team.link} onClose={onClose}>
      <div className={css.stack}>
        <Notice>{mailed ? team.mailed(email) : team.notMailed(email)}</Notice>
        {url !== null && <CodeBlock code={url} label={team.link} />}
        <p className={css.quiet}>{team.linkNote(time(expires_at))}</p>
      </div>
    </Dialog>
  )
}
