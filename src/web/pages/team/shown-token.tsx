import type { Outputs } from '../../api/types.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { addressOf } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import css from './team.module.css'

export type Created = Outputs['tokens']['create']

/** A new token, shown for the only time, with a first call. */
export function ShownToken({ created, onClose }: { created: Created; onClose(): void }) {
  const { team } = useText()
  return (
    <Dialog open title={created.name} onClose={onClose}>
      <div className={css.stack}>
        <Notice>{team.keepToken}</Notice>
        <CodeBlock code={created.token} label={team.token} />
        {created.scopes.includes('read') && (
          <>
            <p>{team.tryToken}</p>
            <CodeBlock
              code={`curl -H 'Authorization: Bearer ${created.token}' \\\n  ${addressOf('/api/sites')}`}
              label={team.tryToken}
            />
          </>
        )}
      </div>
    </Dialog>
  )
}
