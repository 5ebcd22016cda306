import { useState } from 'react'
import { downloadCsv } from '../../api/download.ts'
import { useText } from '../../text/text.tsx'
import { Button } from '../form/button.tsx'

interface Props {
  /** Of the API, below the site: `stats/breakdown`. */
  path: string
  /** Input of the read, with `siteKey`; pages are left out, so that the file has all rows. */
  query: Record<string, unknown> & { siteKey: string }
  /** Name of the file, without its ending. */
  name: string
}

/** Saves a list as a CSV file; says so when that fails. */
export function CsvButton({ path, query, name }: Props) {
  const { actions } = useText().common
  const [state, setState] = useState<'ready' | 'busy' | { error: string }>('ready')
  const save = async () => {
    const { siteKey, page: _page, per_page: _perPage, ...rest } = query
    setState('busy')
    try {
      await downloadCsv(`sites/${siteKey}/${path}`, rest, name)
      setState('ready')
    } catch (error) {
      setState({ error: (error as Error).message })
    }
  }
  return (
    <>
      {typeof state === 'object' && <span role="alert">{state.error}</span>}
      <Button kind="quiet" isBusy={state === 'busy'} onClick={save}>
        {actions.download}
      </Button>
    </>
  )
}
