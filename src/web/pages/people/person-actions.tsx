import { useState } from 'react'
import { Link } from 'wouter'
import { api, type Outputs } from '../../api/client.ts'
import { type Failure, failureOf } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import { usePlainFormat } from '../../format/format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { FailureNote, Notice } from '../../parts/states.tsx'
import { useLinks } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './people.module.css'

/** What the law gives a person: a copy of their data, and its erasure. */
export function PersonActions({ person, isUser }: { person: string; isUser: boolean }) {
  const { people } = useText()
  const { exact } = usePlainFormat()
  const { id } = useSite()
  const linkTo = useLinks()
  const file = useExport(person)
  const [state, setState] = useState<'asked' | 'begun'>()
  const erase = useChange(() => api.people.erase.mutate({ siteKey: id, person }))
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
          change={erase}
          onDone={() => setState('begun')}
          onClose={() => setState(undefined)}
        >
          <p>{people.eraseText}</p>
          {isUser && <p>{people.eraseUserText}</p>}
        </Confirm>
      )}
    </div>
  )
}

type Export = Outputs['people']['export']

interface Running {
  start(): void
  isRunning: boolean
  /** Rows that are there so far. */
  rows: number
  failure: Failure | undefined
}

/** Collects all pages of what is stored about a person, and gives it as one JSON file. */
function useExport(person: string): Running {
  const { id } = useSite()
  const [rows, setRows] = useState<number>()
  const [failure, setFailure] = useState<Failure>()
  const start = async () => {
    setFailure(undefined)
    setRows(0)
    try {
      save(await collect(id, person, setRows))
    } catch (error) {
      setFailure(failureOf(error))
    }
    setRows(undefined)
  }
  return { start: () => void start(), isRunning: rows !== undefined, rows: rows ?? 0, failure }
}

async function collect(siteKey: string, person: string, onRows: (rows: number) => void) {
  let all: Export | undefined
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Export = await api.people.export.query({ siteKey, person, ...(cursor && { cursor }) })
    all = all ? joined(all, page) : page
    cursor = page.next_cursor
    onRows(rowsOf(all))
  }
  const { next_cursor: _, ...file } = all!
  return file
}

/** Each row is on one page; what is not a list is the same on all. */
function joined(all: Export, page: Export): Export {
  const lists = Object.entries(all).map(([name, value]) => {
    const more = page[name as keyof Export]
    return [name, Array.isArray(value) && Array.isArray(more) ? value.concat(more) : value]
  })
  return Object.fromEntries(lists) as Export
}

const rowsOf = (all: Export): number =>
  Object.values(all).reduce((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0)

function save(file: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: 'person.json' })
  link.click()
  URL.revokeObjectURL(url)
}
