import { useState } from 'react'
import { api, type Outputs } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { useRead } from '../../../api/use-read.ts'
import { useFormat } from '../../../format/format.ts'
import { Card } from '../../../parts/card.tsx'
import { Confirm } from '../../../parts/confirm.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { HostileText } from '../../../parts/hostile-text.tsx'
import { SettingList, SettingRow } from '../../../parts/setting-row.tsx'
import { Answer, Notice, useFailureText } from '../../../parts/states.tsx'
import { usePage } from '../../../state/address.ts'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { NewImport } from './new-import.tsx'
import { Outcome } from './outcome.tsx'

type Import = Outputs['imports']['list']['data'][number]
export type ImportFormat = Outputs['imports']['formats'][number]

const PER_PAGE = 10
const EVERY_MS = 2_000

/** Bringing the history of another product along, and what was brought. */
export function ImportSettings() {
  const { imports: text } = useText()
  const { id } = useSite()
  const [page, onPage] = usePage()
  const formats = useRead(['imports', id, 'formats'], signal =>
    api.imports.formats.query({ siteKey: id }, { signal }),
  )
  const imports = useRead(
    ['imports', id, 'list', page],
    signal => api.imports.list.query({ siteKey: id, page, per_page: PER_PAGE }, { signal }),
    { every: EVERY_MS },
  )
  return (
    <Answer read={formats}>
      {known => (
        <div className={css.stack}>
          <Card title={text.title} note={text.hint}>
            <NewImport formats={known} />
          </Card>
          <Card title={text.history}>
            <SettingList read={imports} empty={text.none} onPage={onPage}>
              {each => (
                <ImportRow
                  key={each.id}
                  item={each}
                  format={known.find(({ format }) => format === each.format)}
                />
              )}
            </SettingList>
          </Card>
        </div>
      )}
    </Answer>
  )
}

const CANCELABLE: readonly Import['state'][] = ['uploading', 'checking', 'checked', 'importing', 'failed']

/** An import with what became of it, and what may be done with it. */
function ImportRow({ item, format }: { item: Import; format: ImportFormat | undefined }) {
  const { imports: text } = useText()
  const { time, percent } = useFormat()
  const { state, progress, missing_parts: missing } = item
  const title = format?.title ?? item.format
  return (
    <SettingRow actions={<Actions item={item} title={title} isWhole={missing.length === 0} />}>
      <p className={css.name}>
        {title} <HostileText>{item.file_name}</HostileText>
      </p>
      <p className={css.small}>{[time(item.created_at), item.created_by ?? text.commandLine].join(' · ')}</p>
      <p className={state === 'failed' ? css.warning : css.quiet}>
        {text.states[state]}
        {progress && `, ${percent(Math.floor(progress.part * 100))}`}
      </p>
      {progress && <progress max={1} value={progress.part} aria-label={text.states[state]} />}
      {item.error && <Notice isProblem>{item.error}</Notice>}
      {item.has_outcome && state !== 'undone' && <OutcomeOf item={item} />}
    </SettingRow>
  )
}

/** Lists have no outcomes: each is read when its import has got one. */
function OutcomeOf({ item: { id: importId, state, finished_at } }: { item: Import }) {
  const { id } = useSite()
  const read = useRead(['imports', id, importId, state, finished_at], signal =>
    api.imports.get.query({ siteKey: id, id: importId }, { signal }),
  )
  return (
    <Answer read={read}>
      {({ result, checked }) => {
        const outcome = result ?? checked
        return outcome && <Outcome outcome={outcome} />
      }}
    </Answer>
  )
}

function Actions({ item, title, isWhole }: { item: Import; title: string; isWhole: boolean }) {
  const { imports: text } = useText()
  const { id } = useSite()
  const textOf = useFailureText()
  const [isAsked, setAsked] = useState(false)
  const key = { siteKey: id, id: item.id }
  const changes = [['imports', id, 'list']]
  const start = useChange(() => api.imports.start.mutate({ ...key, dry_run: false }), changes)
  const cancel = useChange(() => api.imports.cancel.mutate(key), changes)
  const undo = useChange(() => api.imports.undo.mutate(key), changes)
  const failure = start.failure ?? cancel.failure
  const isStartable = (item.state === 'checked' || item.state === 'failed') && isWhole && item.parts > 0
  return (
    <>
      {isStartable && item.finished_at !== null && (
        <Button kind="main" isBusy={start.isSending} onClick={() => void start.send()}>
          {item.state === 'failed' ? text.again : text.start}
        </Button>
      )}
      {CANCELABLE.includes(item.state) && (
        <Button isBusy={cancel.isSending} onClick={() => void cancel.send()}>
          {text.cancel}
        </Button>
      )}
      {item.can_undo && (
        <Button kind="danger" onClick={() => setAsked(true)}>
          {text.undo}
        </Button>
      )}
      {failure && <Notice isProblem>{textOf(failure)}</Notice>}
      {isAsked && (
        <Confirm
          title={text.undoTitle(title)}
          confirm={text.undo}
          change={undo}
          onClose={() => setAsked(false)}
        >
          <p>{text.undoQuestion(title)}</p>
        </Confirm>
      )}
    </>
  )
}
