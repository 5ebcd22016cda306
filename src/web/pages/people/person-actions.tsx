import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useSite } from '../../app/site.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { Button } from '../../parts/button.tsx'
import { Form } from '../../parts/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { useLinks } from '../../state/kept-search.ts'
import { useText } from '../../text/text.tsx'
import { useExport } from './export.ts'
import css from './person.module.css'

/** What the law gives a person: a copy of their data, and its erasure. */
export function PersonActions({ person, isUser }: { person: string; isUser: boolean }) {
  const { people } = useText()
  const { exact } = usePlainFormat()
  const [isErasing, setErasing] = useState(false)
  const file = useExport(person)
  return (
    <div className={css.actions}>
      <Button isBusy={file.isRunning} onClick={file.start}>
        {people.export}
      </Button>
      <Button kind="danger" onClick={() => setErasing(true)}>
        {people.erase}
      </Button>
      {file.isRunning && <span role="status">{people.exporting(exact(file.rows))}</span>}
      {file.failure && <FailureNote failure={file.failure} again={file.start} />}
      <Dialog title={people.eraseTitle} open={isErasing} onClose={() => setErasing(false)}>
        <Erasing person={person} isUser={isUser} onClose={() => setErasing(false)} />
      </Dialog>
    </div>
  )
}

interface ErasingProps {
  person: string
  isUser: boolean
  onClose(): void
}

function Erasing({ person, isUser, onClose }: ErasingProps) {
  const { common, people } = useText()
  const { id } = useSite()
  const [, navigate] = useLocation()
  const linkTo = useLinks()
  const [hasBegun, setBegun] = useState(false)
  const erase = useChange(() => api.people.erase.mutate({ siteKey: id, person }))
  const send = async () => {
    if (await erase.send(undefined)) setBegun(true)
  }
  if (hasBegun) {
    return (
      <div className={css.actions} role="status">
        <p>{people.erasing}</p>
        <Button onClick={() => navigate(linkTo('/people'))}>{people.toList}</Button>
      </div>
    )
  }
  return (
    <Form
      onSend={send}
      send={people.eraseConfirm}
      kind="danger"
      isSending={erase.isSending}
      failure={erase.failure}
      others={<Button onClick={onClose}>{common.actions.cancel}</Button>}
    >
      <p>{people.eraseText}</p>
      {isUser && <p>{people.eraseUserText}</p>}
    </Form>
  )
}
