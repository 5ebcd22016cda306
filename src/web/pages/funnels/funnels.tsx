import { useState } from 'react'
import { api, TOGETHER } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Funnel } from './draft.ts'
import { FunnelForm } from './funnel-form.tsx'
import { FunnelReport } from './funnel-report.tsx'
import css from './funnels.module.css'

const MOST = 100

/** Saved funnels: the chosen one with its numbers. */
export default function Funnels() {
  const { funnels: text } = useText()
  const { id } = useSite()
  const { params, change } = useAddress()
  const read = useRead(['funnels', id], signal =>
    api.funnels.list.query({ siteKey: id, per_page: MOST }, { signal, context: TOGETHER }),
  )
  const choose = (funnel: Funnel) => change({ funnel: funnel.id }, { replace: true })
  return (
    <>
      <h1 className="only-read">{text.title}</h1>
      <Answer read={read}>
        {({ data }) => {
          const chosen = data.find(funnel => funnel.id === params.get('funnel')) ?? data[0]
          if (!chosen) return <First onSaved={choose} />
          return <Saved funnels={data} chosen={chosen} onChoose={choose} />
        }}
      </Answer>
    </>
  )
}

/** Where there is no funnel yet, the page itself is the form: two clicks choose two pages, the third one saves. */
function First({ onSaved }: { onSaved(funnel: Funnel): void }) {
  const { funnels: text } = useText()
  const { mayChange } = useSite()
  if (!mayChange) {
    return (
      <Card>
        <Empty title={text.none}>{text.noneReader}</Empty>
      </Card>
    )
  }
  return (
    <Card title={text.none} note={text.noneText} label={text.create}>
      <FunnelForm onSaved={onSaved} />
    </Card>
  )
}

interface SavedProps {
  funnels: readonly Funnel[]
  chosen: Funnel
  onChoose(funnel: Funnel): void
}

function Saved({ funnels, chosen, onChoose }: SavedProps) {
  const { funnels: text, common } = useText()
  const { mayChange } = useSite()
  const { change } = useAddress()
  const [dialog, setDialog] = useState<'create' | 'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  const save = (funnel: Funnel) => {
    onChoose(funnel)
    close()
  }
  return (
    <>
      <nav className={css.list} aria-label={text.list}>
        {funnels.map(funnel => (
          <button
            key={funnel.id}
            type="button"
            className={css.entry}
            aria-current={funnel === chosen ? 'page' : undefined}
            onClick={() => onChoose(funnel)}
          >
            <HostileText>{funnel.name}</HostileText>
          </button>
        ))}
        {mayChange && (
          <Button className={css.create} onClick={() => setDialog('create')}>
            + {text.create}
          </Button>
        )}
      </nav>
      <FunnelReport
        funnel={chosen}
        action={
          mayChange && (
            <span className={css.tools}>
              <Button kind="quiet" onClick={() => setDialog('edit')}>
                {common.actions.edit}
              </Button>
              <Button kind="quiet" onClick={() => setDialog('delete')}>
                {common.actions.delete}
              </Button>
            </span>
          )
        }
      />
      <Dialog open={dialog === 'create'} size="wide" title={text.create} onClose={close}>
        <FunnelForm onSaved={save} />
      </Dialog>
      <Dialog open={dialog === 'edit'} size="wide" title={text.edit} onClose={close}>
        <FunnelForm funnel={chosen} onSaved={save} />
      </Dialog>
      {dialog === 'delete' && (
        <Removal
          funnel={chosen}
          onDone={() => {
            change({ funnel: null }, { replace: true })
            close()
          }}
          onClose={close}
        />
      )}
    </>
  )
}

function Removal({ funnel, ...rest }: { funnel: Funnel; onDone(): void; onClose(): void }) {
  const { funnels: text, common } = useText()
  const { id } = useSite()
  const remove = useChange(
    () => api.funnels.delete.mutate({ siteKey: id, funnel: funnel.id }),
    [['funnels', id]],
  )
  return (
    <Confirm title={text.delete} confirm={common.actions.delete} change={remove} {...rest}>
      {text.deleteQuestion(funnel.name)}
    </Confirm>
  )
}
