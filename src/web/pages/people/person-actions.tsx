import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { usePlainFormat } from '../../format/format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { useLinks } from '../../state/kept-search.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { useExport } from './export.ts'
import css from './person.module.css'

/** What the law gives a person: a copy of their data, and its erasure. */
export function PersonActions({ person, isUser }: { person: string; isUser: boolean }) {
  const { people } = useText()
  const { exact } = usePlainFormat()
  const { id } = useSite()
  const linkTo = useLinks()
  const file = useExport(person)
  const [state, setState] = useState<'asked' | 'begun'>()
  const erase = useChange(() => api.people.erase.mutate({ siteKey: id, person }))
  const send = async () => {
    if (await erase.send(undefined)) setState('begun')
  }
  if (state === 'begun') {
    return (
      <Notice>
        {people.erasing} <Link href={linkTo('/people')}>{people.toList}</Link>
      </Notice>
    )
  }
  return (
    <div className={css.actions}>
      {file.isRunning && <span role="status">{people.exporting(exact(file.rows))}</span>}
      {file.failure && <FailureNote failure={file.failure} again={file.start} />}
      <Button isBusy={file.isRunning} onClick={file.start}>
        {people.export}
      </Button>
      <Button kind="danger" onClick={() => setState('asked')}>
        {people.erase}
      </Button>
      {state === 'asked' && (
        <Confirm
          title={people.eraseTitle}
          confirm={people.eraseConfirm}
          onConfirm={send}
          onClose={() => setState(undefined)}
          isSending={erase.isSending}
          failure={erase.failure}
        >
          <p>{people.eraseText}</p>
          {isUser && <p>{people.eraseUserText}</p>}
        </Confirm>
      )}
    </div>
  )
}
